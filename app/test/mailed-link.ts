import { TestClient } from 'pergola/testing'
import type { TestApp } from './test-app.ts'

/** Returns the path of the link in the latest mail to this address: `/signup/confirm?token=…`. */
export async function mailedLink(app: TestApp, to: string): Promise<string> {
  const links = (await app.mails())
    .filter((mail) => mail.to === to)
    .map(({ data }) => data as { link?: string })
  const link = links.findLast(({ link }) => link !== undefined)?.link
  if (link === undefined) throw new Error(`No mail with a link was delivered to ${to}.`)
  const { pathname, search } = new URL(link)
  return pathname + search
}

/** Returns the token in the path of a link. */
export const tokenOf = (path: string): string => new URLSearchParams(path.split('?')[1]).get('token') ?? ''

/** Signs up by the form and the link in the mail, and returns the signed-in client. */
export async function signUp(
  app: TestApp,
  { name = 'Carol', email, password }: { name?: string; email: string; password: string },
): Promise<TestClient> {
  const client = new TestClient(app.url)
  await client.post('/signup', { form: { email } })
  const token = tokenOf(await mailedLink(app, email))
  const { status } = await client.post('/signup/confirm', { form: { token, name, password } })
  if (status !== 303) throw new Error(`Sign-up as ${email} returned ${status}.`)
  return client
}
