import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, clearRateLimits, comparable, lockWait, TestClient } from 'pergola/testing'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

const app = await testApp()
const NEW = 'another long one'

beforeEach(async () => {
  await clearRateLimits(app.db)
  await app.db.deleteFrom('security_events').execute()
  await app.mails()
})

const make = (values: Parameters<typeof makeUser>[0] = {}) => app.within(() => makeUser(values))
const stored = (id: number) =>
  app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const isSignedIn = async (client: TestClient) => (await client.get('/account/password')).status === 200
const canSignIn = async (email: string, password: string) =>
  (await new TestClient(app.url).post('/login', { form: { email, password } })).status === 303
const request = (email: string) => new TestClient(app.url).post('/password-reset', { form: { email } })
const requestedToken = async (email: string) => {
  await request(email)
  return tokenOf(await mailedLink(app, email))
}
const setPassword = (token: string, password = NEW, client = new TestClient(app.url)) =>
  client.post('/password-reset/new', { form: { token, password } })
const kinds = async () =>
  (await app.db.selectFrom('security_events').select('kind').orderBy('id').execute()).map(({ kind }) => kind)

describe('POST /password-reset', () => {
  it('does not return from the sign-in page to the page of a link, which needs its token', async () => {
    const token = await requestedToken((await make()).email)
    for (const each of [token, 'x']) {
      const { text } = await app.guest.get(`/password-reset/new?token=${each}`)
      expect(text).toContain('href="/login">Sign in</a>')
    }
    expect((await app.guest.get('/password-reset')).text).toContain(
      'href="/login?return_to=%2Fpassword-reset"',
    )
  })

  it('returns the same bytes for a known and an unknown address, by the same statements', async () => {
    const user = await make()
    const requestTo = async (address: string) => {
      app.statements.length = 0
      const visible = comparable(await request(address))
      return { visible, statements: [...app.statements] }
    }
    const known = await requestTo(user.email)
    expect(known.visible).toMatchObject({ status: 303 })
    expect(known.statements.length).toBeGreaterThan(4)
    expect(await requestTo('nobody@example.org')).toEqual(known)
  })

  it('discards the mail if the link expires before its delivery', async () => {
    await request((await make()).email)
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await app.mails()).toEqual([])
    expect(await app.jobs()).toEqual([])
  })

  it('mails a link to a known address', async () => {
    const user = await make({ name: 'Alice' })
    await request(` ${user.email.toUpperCase()} `)
    expect(await app.mails()).toMatchObject([
      { name: 'password-reset', to: user.email, data: { name: 'Alice' } },
    ])
  })

  it.each(['/password-reset', '/signup'])('greets no name at an unverified address: %s', async (path) => {
    const user = await make({ name: 'Mallory', verified: false })
    await new TestClient(app.url).post(path, { form: { email: user.email } })
    const [mail] = await app.mails()
    expect(mail?.text).toContain('Hello,')
    expect(JSON.stringify(mail)).not.toContain('Mallory')
  })

  it.each(['/password-reset', '/signup'])('mails no link to a disabled user: %s', async (path) => {
    const user = await make()
    await sql`update users set disabled_at = now() where id = ${user.id}`.execute(app.db)
    await new TestClient(app.url).post(path, { form: { email: user.email } })
    const [mail] = await app.mails()
    expect(mail).toMatchObject({ name: 'account-notice', to: user.email })
    expect(mail?.text).toContain('Your account is disabled')
    expect(mail?.text).not.toContain('token')
  })

  it('mails an unknown address that it has no account', async () => {
    await request('nobody@example.org')
    const [mail] = await app.mails()
    expect(mail).toMatchObject({ name: 'no-account', to: 'nobody@example.org' })
    expect(mail?.text).toContain(`${app.url}/signup`)
    expect(mail?.text).not.toContain('token')
  })

  it('names no sign-up if sign-up is disabled', async () => {
    const closed = await testApp({ database: app, env: { ACCOUNTS__SIGN_UP: 'false' } })
    await closed.guest.post('/password-reset', { form: { email: 'nobody@example.org' } })
    const [mail] = await app.mails()
    expect(mail?.text).not.toContain('/signup')
  })

  it('stores a digest of the token only', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    const tokens = app.db.selectFrom('account_tokens').selectAll().where('user_id', '=', user.id)
    const text = JSON.stringify(await tokens.execute()) + JSON.stringify(await app.jobs())
    expect([text.includes(user.email), text.includes(token)]).toEqual([true, false])
  })

  it('shares the limit per address with sign-up', async () => {
    const user = await make()
    for (let count = 0; count < 5; count++) await request(user.email)
    expect((await request(user.email)).status).toBe(429)
    expect((await app.guest.post('/signup', { form: { email: user.email } })).status).toBe(429)
  })

  it('shows the page after it to everyone', async () => {
    const { status, text } = await app.guest.get('/check-mail')
    expect([status, text.includes('Check your mail')]).toEqual([200, true])
  })
})

describe('GET /password-reset/new', () => {
  it('shows the form, and changes nothing', async () => {
    const user = await make()
    const client = await app.signInAs(user.email)
    await request(user.email)
    const link = await mailedLink(app, user.email)
    const before = await stored(user.id)
    for (let visit = 0; visit < 3; visit++) {
      const { status, headers, text } = await app.guest.get(link)
      expect([status, headers.get('referrer-policy')]).toEqual([200, 'strict-origin'])
      expect(text).toContain(user.email)
    }
    expect(await stored(user.id)).toEqual(before)
    expect(await isSignedIn(client)).toBe(true)
  })
})

describe('POST /password-reset/new', () => {
  it('sets the password, ends all sessions, signs in here, and mails a notice', async () => {
    const user = await make({ name: 'Alice' })
    const other = await app.signInAs(user.email)
    const token = await requestedToken(user.email)
    const client = new TestClient(app.url)
    const answer = await setPassword(token, NEW, client)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect([await isSignedIn(client), await isSignedIn(other)]).toEqual([true, false])
    expect([await canSignIn(user.email, NEW), await canSignIn(user.email, DEMO_PASSWORD)]).toEqual([
      true,
      false,
    ])
    expect(await app.mails()).toMatchObject([{ name: 'password-changed', to: user.email }])
    expect((await kinds()).slice(0, 3)).toEqual(['sign-in', 'link-requested', 'password-changed'])
  })

  it('forgets the failed sign-ins of the account', async () => {
    const user = await make()
    for (let failure = 0; failure < 6; failure++) await canSignIn(user.email, 'wrong')
    expect(await canSignIn(user.email, DEMO_PASSWORD)).toBe(false)
    await setPassword(await requestedToken(user.email))
    expect(await canSignIn(user.email, NEW)).toBe(true)
  })

  it('sets the password if its notice can’t be stored', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    await sql`create function refuse_job() returns trigger language plpgsql as
      $$ begin raise 'The disk is full.'; end $$`.execute(app.db)
    await sql`create trigger refuse_job before insert on pgboss.job for each row execute function refuse_job()`.execute(
      app.db,
    )
    onTestFinished(async () => {
      await sql`drop function refuse_job cascade`.execute(app.db)
    })
    expect((await setPassword(token)).status).toBe(303)
    expect(await canSignIn(user.email, NEW)).toBe(true)
  })

  it('gives an unverified account to the owner of the address', async () => {
    const user = await make({ name: 'Mallory', verified: false, roles: ['admin'] })
    const first = await app.signInAs(user.email)
    await first.post('/account/verification')
    const verification = tokenOf(await mailedLink(app, user.email))
    const token = await requestedToken(user.email)
    const page = await app.guest.get(`/password-reset/new?token=${token}`)
    expect([page.text.includes('name="name"'), page.text.includes('Mallory')]).toEqual([true, false])
    expect((await setPassword(token)).status).toBe(422)
    const form = { token, password: NEW, name: 'Alice' }
    expect((await new TestClient(app.url).post('/password-reset/new', { form })).status).toBe(303)
    expect(await stored(user.id)).toMatchObject({
      name: 'Alice',
      roles: [],
      email_verified_at: expect.any(String),
    })
    expect(await kinds()).toEqual(
      expect.arrayContaining(['address-verified', 'role-removed', 'password-changed']),
    )
    expect([await isSignedIn(first), await canSignIn(user.email, DEMO_PASSWORD)]).toEqual([false, false])
    const owner = await app.guest.post('/login', { form: { email: user.email, password: NEW } })
    expect(owner.status).toBe(303)
    const again = await app.guest.post('/account/verification/confirm', { form: { token: verification } })
    expect(again.status).toBe(404)
    app.guest.cookies.clear()
  })

  it('asks a verified user for no name', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    expect((await app.guest.get(`/password-reset/new?token=${token}`)).text).not.toContain('name="name"')
    const form = { token, password: NEW, name: 'Another' }
    expect((await app.guest.post('/password-reset/new', { form })).status).toBe(422)
  })

  it.each(['short', 'x'.repeat(257), 'password123', 'nul\0nul\0nul'])(
    'returns 422 for the password %j, and keeps the link',
    async (password) => {
      const user = await make()
      const token = await requestedToken(user.email)
      const { status, text } = await setPassword(token, password)
      expect([status, text.includes('password-error')]).toEqual([422, true])
      expect((await setPassword(token)).status).toBe(303)
    },
  )

  it('lets the browser store a rejected form, without the password, and no other page', async () => {
    const token = await requestedToken((await make()).email)
    const page = await app.guest.get(`/password-reset/new?token=${token}`)
    const rejected = await setPassword(token, 'short secret')
    const cacheControl = [page, rejected].map(({ headers }) => headers.get('cache-control'))
    expect(cacheControl).toEqual(['no-store', 'private, no-cache'])
    expect(rejected.text).not.toContain('short secret')
  })

  it('returns 422 for the own address as password, and for unknown fields', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    expect((await setPassword(token, user.email.toUpperCase())).status).toBe(422)
    const form = { token, password: NEW, roles: 'admin' }
    expect((await app.guest.post('/password-reset/new', { form })).status).toBe(422)
    expect(await canSignIn(user.email, DEMO_PASSWORD)).toBe(true)
  })

  it('returns the same page for each invalid link', async () => {
    const user = await make()
    const used = await requestedToken(user.email)
    await setPassword(used)
    const older = await requestedToken(user.email)
    await sql`update account_tokens set expires_at = now() where user_id = ${user.id}`.execute(app.db)
    await app.guest.post('/signup', { form: { email: 'free@example.org' } })
    const ofSignUp = tokenOf(await mailedLink(app, 'free@example.org'))
    const pages: Answer[] = []
    for (const token of [used, older, ofSignUp, '', 'x'.repeat(5_000), 'é', '\0']) {
      pages.push(await setPassword(token, 'yet another one'))
      pages.push(await app.guest.get(`/password-reset/new?token=${encodeURIComponent(token)}`))
    }
    for (const page of pages) expect([page.status, page.text]).toEqual([404, pages[0]?.text])
    expect(pages[0]?.text).toContain('href="/password-reset"')
    expect(await canSignIn(user.email, NEW)).toBe(true)
  })

  it.each([
    ['disabled', { disabled_at: new Date().toISOString() }],
    ['moved to another address', { email: 'moved@example.org' }],
  ])('rejects the link of a user who was %s', async (_, values) => {
    const user = await make()
    const token = await requestedToken(user.email)
    await app.within(() => users.asSystem('test').update(user.id, values))
    expect((await setPassword(token)).status).toBe(404)
    expect((await app.guest.get(`/password-reset/new?token=${token}`)).status).toBe(404)
  })

  it('rejects the link of a deleted user', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    await app.db.deleteFrom('users').where('id', '=', user.id).execute()
    expect((await setPassword(token)).status).toBe(404)
  })

  it('rejects earlier links after a change of the password, which mails a notice', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    const client = await app.signInAs(user.email)
    const form = { _method: 'PUT', current_password: DEMO_PASSWORD, password: NEW }
    expect((await client.post('/account/password', { form })).status).toBe(303)
    expect(await app.mails()).toMatchObject([{ name: 'password-changed', to: user.email }])
    expect((await setPassword(token, 'yet another one')).status).toBe(404)
    expect(await canSignIn(user.email, NEW)).toBe(true)
  })

  it('accepts one of ten concurrent attempts', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    const attempts = Array.from({ length: 10 }, (_, index) => setPassword(token, `${NEW} ${index}`))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(await app.mails()).toHaveLength(1)
  })

  it('rejects the link if the password is changed while the new one is hashed', async () => {
    const user = await make()
    const token = await requestedToken(user.email)
    const { answer } = await app.db.transaction().execute(async (transaction) => {
      await transaction.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
      const answer = setPassword(token)
      await lockWait(app.db)
      await transaction.deleteFrom('account_tokens').where('user_id', '=', user.id).execute()
      return { answer }
    })
    expect((await answer).status).toBe(404)
    expect(await canSignIn(user.email, DEMO_PASSWORD)).toBe(true)
  })
})
