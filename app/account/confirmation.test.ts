import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { clearRateLimits, lockWait, TestClient } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'

const app = await testApp()

beforeEach(() => clearRateLimits(app.db))

/** Signs a new user in, as if `minutes` ago. Null: a session of an earlier version, which has no time. */
async function signedIn(minutes: number | null, values: Parameters<typeof makeUser>[0] = {}) {
  const client = await app.newcomer(values)
  await sql`update sessions set confirmed_at = now() - make_interval(mins => ${minutes})
    where user_id = ${client.user.id}`.execute(app.db)
  return client
}

const confirm = (client: TestClient, form: Record<string, string> = {}) =>
  client.post('/account/confirm', { form: { current_password: DEMO_PASSWORD, ...form } })
const locationOf = ({ headers }: { headers: Headers }) => headers.get('location')

describe('a route that needs a confirmed session', () => {
  it.each([null, 16])('redirects a user to the page: %s minutes after the sign-in', async (minutes) => {
    const client = await signedIn(minutes)
    const { status, headers } = await client.get('/account/delete')
    expect([status, headers.get('location')]).toEqual([303, '/account/confirm?return_to=%2Faccount%2Fdelete'])
  })

  it('is open after a sign-in and after a confirmation', async () => {
    expect((await (await signedIn(14)).get('/account/delete')).status).toBe(200)
    const client = await signedIn(16)
    const answer = await confirm(client, { return_to: '/account/delete' })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account/delete'])
    expect((await client.get('/account/delete')).status).toBe(200)
  })

  it.each(['/users', '/users/1', '/security-events', '/background-jobs'])(
    'is %s, where an admin confirms once an hour',
    async (path) => {
      const admin = await signedIn(61, { roles: ['admin'] })
      expect(locationOf(await admin.get(path))).toBe(`/account/confirm?return_to=${encodeURIComponent(path)}`)
      await sql`update sessions set confirmed_at = now() - interval '59 minutes'
        where user_id = ${admin.user.id}`.execute(app.db)
      expect([200, 404]).toContain((await admin.get(path)).status)
    },
  )

  it.each(['/account/sessions', '/account/sessions/1'])('refuses to end %s', async (path) => {
    const client = await signedIn(16)
    const answer = await client.post(path, { form: { _method: 'DELETE' } })
    expect(locationOf(answer)).toMatch(/^\/account\/confirm\?/)
  })

  it('refuses a write, changes nothing, and leaves the form on its page under htmx', async () => {
    const admin = await signedIn(61, { roles: ['admin'] })
    const { id } = await app.within(() => makeUser())
    const form = { _method: 'DELETE' }
    const referer = `${app.url}/users/${id}`
    const plain = await admin.post(`/users/${id}/sessions`, { form, headers: { referer } })
    expect(locationOf(plain)).toBe(`/account/confirm?return_to=%2Fusers%2F${id}&refused=true`)
    const page = await admin.get(locationOf(plain) ?? '')
    expect(page.text).toContain('Your change was not saved.')
    const htmx = await admin.post(`/users/${id}/sessions`, {
      form,
      headers: { referer, 'hx-request': 'true' },
    })
    expect([htmx.status, htmx.headers.get('hx-redirect')]).toEqual([403, null])
    expect(htmx.text).toMatch(
      new RegExp(`id="problem-text">[^<]*<a href="/account/confirm\\?return_to=%2Fusers%2F${id}"`),
    )
    await confirm(admin)
    expect((await admin.post(`/users/${id}/sessions`, { form })).status).toBe(303)
  })
})

describe('POST /account/confirm', () => {
  it('starts a new session with a new token, so that a stolen copy of the cookie ends', async () => {
    const client = await signedIn(16)
    const thief = new TestClient(app.url)
    thief.cookies.set('sid', client.cookies.get('sid') ?? '')
    await confirm(client)
    expect((await client.get('/account/delete')).status).toBe(200)
    expect(locationOf(await thief.get('/account'))).toBe('/login?return_to=%2Faccount')
    expect(await sessionsOf(client.user.id)).toBe(1)
  })

  it('keeps the sessions of other browsers, and does not confirm them', async () => {
    const client = await signedIn(16)
    const other = await app.signInAs(client.user.email)
    await sql`update sessions set confirmed_at = now() - interval '1 day'`.execute(app.db)
    await confirm(client)
    expect((await other.get('/account')).status).toBe(200)
    expect((await other.get('/account/delete')).status).toBe(303)
  })

  it('returns 422 for a wrong password, and keeps the page to return to', async () => {
    const client = await signedIn(16)
    const form = { current_password: 'a wrong password', return_to: '/account/delete' }
    const { status, text } = await confirm(client, form)
    expect(status).toBe(422)
    expect(text).toContain('Wrong password.')
    expect(text).toContain('name="return_to" value="/account/delete"')
    expect(text).not.toContain('a wrong password')
    expect((await client.get('/account/delete')).status).toBe(303)
  })

  it.each([{ current_password: 'x'.repeat(2_000) }, { user_id: '1' }])('returns 422 for %j', async (form) => {
    expect((await confirm(await signedIn(16), form)).status).toBe(422)
  })

  it('shares the limit of sign-in', async () => {
    const client = await signedIn(16)
    for (let guess = 0; guess < 5; guess++)
      expect((await confirm(client, { current_password: 'wrong' })).status).toBe(422)
    const refused = await confirm(client)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await client.get('/account/delete')).status).toBe(303)
    const { email } = client.user
    const again = await client.post('/login', { form: { email, password: DEMO_PASSWORD } })
    expect(again.status).toBe(429)
  })

  it('never returns to another site', async () => {
    const answer = await confirm(await signedIn(16), { return_to: '//evil.example' })
    expect(locationOf(answer)).toBe('/')
  })

  it('rejects a password that is changed while it is checked', async () => {
    const client = await signedIn(16)
    const { waiting } = await app.db.transaction().execute(async (holder) => {
      const changed = holder.updateTable('users').set({ password_digest: 'another' })
      await changed.where('id', '=', client.user.id).execute()
      const waiting = confirm(client)
      await lockWait(app.db)
      return { waiting }
    })
    expect((await waiting).status).toBe(422)
  })

  it('needs a session', async () => {
    expect(locationOf(await confirm(app.guest))).toBe('/login?return_to=%2F')
  })
})

describe('GET /account/confirm', () => {
  it('contains the address for password managers', async () => {
    const client = await signedIn(16)
    const { text } = await client.get('/account/confirm?return_to=/account/delete')
    expect(text).toMatch(new RegExp(`<input[^>]* value="${client.user.email}" autocomplete="username"`))
    expect(text).toMatch(/<input type="password"[^>]* autocomplete="current-password"/)
    expect(text).not.toContain('was not saved')
  })
})

const sessionsOf = async (userId: number) =>
  (await app.db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()).length
