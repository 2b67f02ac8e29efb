import { describe, expect, it } from 'vitest'
import { TestClient, testDatabase } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'

const database = await testDatabase()
const [OLD, NEW] = ['old secret '.repeat(3), 'new secret '.repeat(3)]
const withSecret = (secret: string) => testApp({ database, env: { SESSION__SECRET: secret } })
const before = await withSecret(OLD)
const during = await withSecret(`${NEW}, ${OLD}`)
const after = await withSecret(NEW)

/** Returns a client of another server with the same cookies. */
function moved({ cookies }: TestClient, { url }: { url: string }): TestClient {
  const client = new TestClient(url)
  for (const [name, value] of cookies) client.cookies.set(name, value)
  return client
}
const isSignedIn = async (client: TestClient) => (await client.get('/account')).status === 200

describe('several secrets', () => {
  it('open the cookies of the old one, and seal them with the first', async () => {
    const browser = await before.newcomer()
    const rotated = moved(browser, during)
    const answer = await rotated.get('/account')
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([200, 1])
    expect(rotated.cookies.get('sid')).not.toBe(browser.cookies.get('sid'))
    expect((await rotated.get('/account')).headers.getSetCookie()).toEqual([])
    expect(await isSignedIn(moved(rotated, after))).toBe(true)
  })

  it('keep a message for the next page', async () => {
    const browser = await before.newcomer()
    await browser.delete('/account/sessions')
    const { text } = await moved(browser, during).get('/account')
    expect(text).toContain('All other browsers are now signed out.')
  })

  it('sign out a browser whose cookie is sealed with a removed one', async () => {
    const browser = await before.newcomer()
    expect(await isSignedIn(moved(browser, after))).toBe(false)
  })

  it('sign in and out during the rotation', async () => {
    const old = moved(await before.newcomer(), during)
    await old.post('/logout')
    expect(await isSignedIn(old)).toBe(false)
    const fresh = await during.newcomer()
    expect(await isSignedIn(moved(fresh, after))).toBe(true)
  })

  it('refuse a cookie of another secret', async () => {
    const elsewhere = await withSecret('another secret '.repeat(3))
    expect(await isSignedIn(moved(await elsewhere.newcomer(), during))).toBe(false)
  })
})
