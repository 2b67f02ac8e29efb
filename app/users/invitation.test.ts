import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { clearRateLimits, TestClient } from 'pergola/testing'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from './user.factory.ts'

const app = await testApp()
const admin = await app.newcomer({ name: 'Admin', roles: ['admin'] })
const PASSWORD = 'a password of my own'
let sequence = 0

beforeEach(async () => {
  await clearRateLimits(app.db)
  await app.mails()
})

const freeAddress = () => `invited-${++sequence}@example.org`
const invite = (form: Record<string, string>, client: TestClient = admin) =>
  client.post('/users', { form: { name: 'Carol', email: freeAddress(), ...form } })
const inviteAgain = (id: number) => admin.post(`/users/${id}/invitation`, { form: {} })
const accept = (token: string, password = PASSWORD, client = new TestClient(app.url)) =>
  client.post('/invitation', { form: { token, password } })
const stored = (email: string) =>
  app.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

/** Invites a user, and returns the stored user with the token of the mail. */
async function invited(form: Record<string, string> = {}) {
  const email = freeAddress()
  expect((await invite({ email, ...form })).status).toBe(303)
  const user = await stored(email)
  if (user === undefined) throw new Error('The user was not stored.')
  return { user, email, token: tokenOf(await mailedLink(app, email)) }
}

describe('POST /users', () => {
  it('creates an unverified user with roles, and mails a link', async () => {
    const email = freeAddress()
    const answer = await invite({ name: ' Carol ', email: ` ${email.toUpperCase()}`, admin: 'on' })
    const user = await stored(email)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/users/${user?.id}`])
    expect(user).toMatchObject({ name: 'Carol', roles: ['admin'], email_verified_at: null })
    expect(await app.mails()).toMatchObject([
      { name: 'invitation', to: email, data: { name: 'Carol', inviter: 'Admin' } },
    ])
    const events = app.db.selectFrom('security_events').select(['kind', 'actor_id', 'detail'])
    expect(
      await events
        .where('target_id', '=', user?.id ?? 0)
        .orderBy('id')
        .execute(),
    ).toEqual([
      { kind: 'account-created', actor_id: admin.user.id, detail: null },
      { kind: 'role-granted', actor_id: admin.user.id, detail: 'admin' },
      { kind: 'account-invited', actor_id: admin.user.id, detail: null },
    ])
    expect((await admin.get(`/users/${user?.id}`)).text).toContain('Send invitation')
  })

  it.each([
    { name: '' },
    { email: 'no address' },
    { admin: 'perhaps' },
    { password_digest: 'x' },
    { email_verified_at: '2026-01-01' },
  ])('returns 422 for %j, and mails nothing', async (form) => {
    const { status, text } = await invite({ name: 'Kept', ...form })
    expect([status, text.includes('aria-invalid') || text.includes('Unknown field')]).toEqual([422, true])
    expect(await app.mails()).toEqual([])
  })

  it('returns 422 for an address with an account, and keeps the input', async () => {
    const { email } = await app.within(() => makeUser())
    const { status, text } = await invite({ name: 'Kept', email: email.toUpperCase(), admin: 'on' })
    expect(status).toBe(422)
    expect(text).toContain('An account with this email address already exists.')
    expect(text).toMatch(/value="Kept"/)
    expect(text).toMatch(/name="admin"[^>]* checked/)
    expect(await app.mails()).toEqual([])
  })

  it('creates one user for ten concurrent invitations', async () => {
    const email = freeAddress()
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite({ email })))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(await app.mails()).toHaveLength(1)
  })

  it('is for admins who signed in within the last hour', async () => {
    const email = freeAddress()
    const user = await app.newcomer()
    expect((await invite({ email }, app.guest)).headers.get('location')).toMatch(/^\/login\?/)
    expect((await invite({ email }, user)).status).toBe(403)
    const late = await app.newcomer({ roles: ['admin'] })
    await sql`update sessions set confirmed_at = now() - interval '61 minutes'
      where user_id = ${late.user.id}`.execute(app.db)
    expect((await invite({ email }, late)).headers.get('location')).toMatch(/^\/account\/confirm\?/)
    expect(await stored(email)).toBeUndefined()
  })
})

describe('GET /invitation', () => {
  it('shows the form, and changes nothing', async () => {
    const { email, token } = await invited()
    for (let visit = 0; visit < 3; visit++) {
      const { status, headers, text } = await app.guest.get(`/invitation?token=${token}`)
      expect([status, headers.get('referrer-policy')]).toEqual([200, 'strict-origin'])
      expect(text).toContain(email)
    }
    expect((await stored(email))?.email_verified_at).toBeNull()
  })

  it('is not a link for a forgotten password, or the reverse', async () => {
    const { token, email } = await invited()
    expect((await app.guest.get(`/password-reset/new?token=${token}`)).status).toBe(404)
    await app.guest.post('/password-reset', { form: { email } })
    const reset = tokenOf(await mailedLink(app, email))
    expect((await app.guest.get(`/invitation?token=${reset}`)).status).toBe(404)
  })
})

describe('POST /invitation', () => {
  it('sets the password, verifies the address and signs in', async () => {
    const { email, token } = await invited({ admin: 'on' })
    const client = new TestClient(app.url)
    const answer = await accept(token, PASSWORD, client)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect((await client.get('/')).text).toContain('Welcome, Carol.')
    expect((await client.get('/users')).status).toBe(200)
    expect((await stored(email))?.email_verified_at).toEqual(expect.any(String))
    const again = await new TestClient(app.url).post('/login', { form: { email, password: PASSWORD } })
    expect(again.status).toBe(303)
    // A notice of a changed password would frighten a new user.
    expect(await app.mails()).toEqual([])
  })

  it('works once, and for one of ten concurrent requests', async () => {
    const { token } = await invited()
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(token)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(new Set(statuses.filter((status) => status !== 303))).toEqual(
      new Set(statuses.includes(503) ? [404, 503] : [404]),
    )
    expect((await accept(token)).status).toBe(404)
  })

  it('is replaced by a link for a forgotten password, which keeps the name and the roles', async () => {
    const { email, token } = await invited({ admin: 'on' })
    await app.guest.post('/password-reset', { form: { email } })
    const form = { token: tokenOf(await mailedLink(app, email)), password: PASSWORD }
    expect((await new TestClient(app.url).post('/password-reset/new', { form })).status).toBe(303)
    expect(await stored(email)).toMatchObject({ name: 'Carol', roles: ['admin'] })
    expect((await accept(token)).status).toBe(404)
  })

  it('that has expired is not replaced in silence: the pages say that its roles have expired, too', async () => {
    const { email, token } = await invited({ admin: 'on' })
    await sql`update account_tokens set expires_at = now()`.execute(app.db)
    expect((await app.guest.get(`/invitation?token=${token}`)).text).toContain('ask for a new one')
    await app.guest.post('/password-reset', { form: { email } })
    const link = await mailedLink(app, email)
    expect((await app.guest.get(link)).text).toContain('you lose its roles: admin.')
    const form = { token: tokenOf(link), password: PASSWORD, name: 'Carol' }
    expect((await new TestClient(app.url).post('/password-reset/new', { form })).status).toBe(303)
    expect(await stored(email)).toMatchObject({ roles: [] })
  })

  it('returns 422 for a password that breaks the rules, and the link remains valid', async () => {
    const { email, token } = await invited()
    for (const password of ['short', email]) expect((await accept(token, password)).status).toBe(422)
    expect((await accept(token)).status).toBe(303)
  })

  it.each([
    ['expired', sql`update account_tokens set expires_at = now()`],
    ['of a disabled user', sql`update users set disabled_at = now() where email like 'invited-%'`],
    ['to another address', sql`update users set email = 'changed-' || email where email like 'invited-%'`],
  ])('returns 404 for a link that is %s', async (_, change) => {
    const { token } = await invited()
    await change.execute(app.db)
    const { status, text } = await accept(token)
    expect([status, text.includes('Request a new link')]).toEqual([404, true])
  })

  it('ends the sessions and the links of an account that existed before', async () => {
    const user = await app.within(() => makeUser({ verified: false }))
    const stranger = await app.signInAs(user.email)
    await stranger.post('/account/verification')
    const verification = tokenOf(await mailedLink(app, user.email))
    await inviteAgain(user.id)
    const owner = new TestClient(app.url)
    expect((await accept(tokenOf(await mailedLink(app, user.email)), PASSWORD, owner)).status).toBe(303)
    expect((await stranger.get('/account')).status).toBe(303)
    const form = { token: verification }
    expect((await owner.post('/account/verification/confirm', { form })).status).toBe(404)
  })
})

describe('POST /users/:id/invitation', () => {
  it('mails a new link, which replaces the earlier one', async () => {
    const { user, email, token } = await invited()
    expect((await inviteAgain(user.id)).status).toBe(303)
    const second = tokenOf(await mailedLink(app, email))
    expect((await accept(token)).status).toBe(404)
    expect((await accept(second)).status).toBe(303)
  })

  it('mails nothing to a verified or disabled user', async () => {
    const { id } = await app.within(() => makeUser())
    const { user } = await invited()
    await sql`update users set disabled_at = now() where id = ${user.id}`.execute(app.db)
    for (const one of [id, user.id]) {
      expect((await inviteAgain(one)).status).toBe(303)
      expect((await admin.get(`/users/${one}`)).text).toContain('Only enabled users')
    }
    expect(await app.mails()).toEqual([])
  })

  it('is withdrawn by disabling the user, also after the user is enabled again', async () => {
    const { user, email, token } = await invited()
    for (const access of ['disabled', 'enabled']) {
      const form = { _method: 'PUT', access, _version: String((await stored(email))?.version) }
      expect((await admin.post(`/users/${user.id}/access`, { form })).status).toBe(303)
    }
    expect((await accept(token)).status).toBe(404)
  })

  it('corrects the name and the address, and ends the link to the wrong one', async () => {
    const { user, token } = await invited({ admin: 'on' })
    const page = await admin.get(`/users/${user.id}/invitation`)
    expect(page.text).toContain(`value="${user.email}"`)
    const email = freeAddress()
    const form = { name: 'Carola', email: ` ${email.toUpperCase()}` }
    expect((await admin.post(`/users/${user.id}/invitation`, { form })).status).toBe(303)
    expect(await stored(email)).toMatchObject({ id: user.id, name: 'Carola', roles: ['admin'] })
    expect((await accept(token)).status).toBe(404)
    expect((await accept(tokenOf(await mailedLink(app, email)))).status).toBe(303)
  })

  it('does not move the account of a user who signed in to another address', async () => {
    const user = await app.within(() => makeUser({ verified: false }))
    const client = await app.signInAs(user.email)
    const form = { name: 'Mallory', email: freeAddress() }
    const correct = async () => {
      expect((await admin.post(`/users/${user.id}/invitation`, { form })).status).toBe(303)
      expect(await stored(user.email)).toMatchObject({ id: user.id, name: user.name })
    }
    const events = () => app.db.deleteFrom('security_events').where('target_id', '=', user.id)
    // A session is enough, and so is an event.
    const kept = await events().where('kind', '=', 'sign-in').returning('kind').execute()
    expect(kept).toHaveLength(1)
    await correct()
    await (await app.signInAs(user.email)).post('/logout')
    await client.post('/logout')
    await correct()
    expect((await app.mails()).filter(({ to }) => to === form.email)).toEqual([])
  })

  it('returns 422 for an invalid address, and for one with an account, and keeps the input', async () => {
    const [{ user, email }, taken] = [await invited(), await app.within(() => makeUser())]
    for (const address of ['no address', taken.email]) {
      const form = { name: 'Kept', email: address }
      const { status, text } = await admin.post(`/users/${user.id}/invitation`, { form })
      expect([status, text.includes('value="Kept"'), text.includes('aria-invalid')]).toEqual([
        422,
        true,
        true,
      ])
    }
    expect(await stored(email)).toMatchObject({ name: 'Carol' })
  })

  it('is for admins', async () => {
    const { user } = await invited()
    const path = `/users/${user.id}/invitation`
    expect((await (await app.newcomer()).post(path, { form: {} })).status).toBe(403)
    expect((await app.guest.post(path, { form: {} })).headers.get('location')).toMatch(/^\/login\?/)
    expect((await admin.post('/users/999999/invitation', { form: {} })).status).toBe(404)
  })
})
