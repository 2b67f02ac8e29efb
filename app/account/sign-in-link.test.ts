import { beforeEach, describe, expect, it } from 'vitest'
import { clearRateLimits, TestClient } from 'pergola/testing'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'

const app = await testApp({ env: { ACCOUNTS__SIGN_IN_BY_LINK: 'true' } })

beforeEach(async () => {
  await clearRateLimits(app.db)
  await app.mails()
})

const make = (values: Parameters<typeof makeUser>[0] = {}) => app.within(() => makeUser(values))
const isSignedIn = async (client: TestClient) => (await client.get('/account/password')).status === 200
const requestedToken = async (email: string) => {
  await new TestClient(app.url).post('/login/link', { form: { email } })
  return tokenOf(await mailedLink(app, email))
}
const confirm = (token: string, client = new TestClient(app.url)) =>
  client.post('/login/link/confirm', { form: { token } })

describe('sign-in by link', () => {
  it('is disabled by default', async () => {
    const other = await testApp({ database: app })
    expect((await other.guest.get('/login/link')).status).toBe(404)
    expect((await other.guest.get('/login/link/confirm')).status).toBe(404)
    expect((await other.guest.get('/login')).text).not.toContain('/login/link')
    expect((await app.guest.get('/login')).text).toContain('/login/link')
  })

  it('signs in by the button of the page, and not by the link alone', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    const client = new TestClient(app.url)
    const page = await client.get(`/login/link/confirm?token=${token}`)
    expect([page.status, page.text.includes(user.email)]).toEqual([200, true])
    expect(await isSignedIn(client)).toBe(false)
    expect((await confirm(token, client)).status).toBe(303)
    expect(await isSignedIn(client)).toBe(true)
    expect((await confirm(token)).status).toBe(404)
    const events = app.db.selectFrom('security_events').select(['kind', 'detail'])
    expect(await events.where('target_id', '=', user.id).orderBy('id').execute()).toEqual([
      { kind: 'link-requested', detail: 'sign-in' },
      { kind: 'sign-in', detail: 'link' },
    ])
  })

  it('keeps the password and the sessions of a verified user', async () => {
    const user = await make()
    const other = await app.signInAs(user.email)
    await confirm(await requestedToken(user.email))
    expect(await isSignedIn(other)).toBe(true)
    expect(await isSignedIn(await app.signInAs(user.email))).toBe(true)
  })

  it('gives an unverified account to the owner of the address', async () => {
    const made = await make({ name: 'Mallory', verified: false, roles: ['admin'] })
    const user = { ...made, email: `ann.lee-${made.id}@example.test` }
    await app.db.updateTable('users').set({ email: user.email }).where('id', '=', user.id).execute()
    const first = await app.signInAs(user.email)
    const owner = new TestClient(app.url)
    await confirm(await requestedToken(user.email), owner)
    expect([await isSignedIn(owner), await isSignedIn(first)]).toEqual([true, false])
    // A name with a dot may look like an address.
    const name = `ann lee-${user.id}`
    const stored = app.db.selectFrom('users').select(['name', 'roles']).where('id', '=', user.id)
    expect(await stored.execute()).toEqual([{ name, roles: [] }])
    const form = { email: user.email, password: DEMO_PASSWORD }
    expect((await app.guest.post('/login', { form })).status).toBe(422)
  })

  it('mails an unknown address that it has no account', async () => {
    await app.guest.post('/login/link', { form: { email: 'nobody@example.org' } })
    expect(await app.mails()).toMatchObject([{ name: 'no-account', to: 'nobody@example.org' }])
  })

  it('signs in once for ten concurrent attempts', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(token)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  it('rejects a link for a new password', async () => {
    const user = await make()
    await app.guest.post('/password-reset', { form: { email: user.email } })
    expect((await confirm(tokenOf(await mailedLink(app, user.email)))).status).toBe(404)
  })
})

describe('a sign-in from a new browser', () => {
  it('mails a notice, once per browser', async () => {
    const noticing = await testApp({ database: app, env: { ACCOUNTS__SIGN_IN_NOTICES: 'true' } })
    const user = await make({ name: 'Alice' })
    const signIn = (client: TestClient) =>
      client.post('/login', {
        form: { email: user.email, password: DEMO_PASSWORD },
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' },
      })
    const client = new TestClient(noticing.url)
    await signIn(client)
    expect(await app.mails()).toMatchObject([
      { name: 'new-sign-in', to: user.email, data: { browser: 'Firefox on Linux' } },
    ])
    await signIn(client)
    expect(await app.mails()).toEqual([])
    await signIn(new TestClient(noticing.url))
    expect(await app.mails()).toHaveLength(1)
  })

  it('mails nothing to an address that is not verified, or after a wrong password', async () => {
    const noticing = await testApp({ database: app, env: { ACCOUNTS__SIGN_IN_NOTICES: 'true' } })
    const [user, unverified] = [await make(), await make({ verified: false })]
    await noticing.guest.post('/login', { form: { email: user.email, password: 'wrong' } })
    await noticing.guest.post('/login', { form: { email: unverified.email, password: DEMO_PASSWORD } })
    noticing.guest.cookies.clear()
    expect(await app.mails()).toEqual([])
  })
})
