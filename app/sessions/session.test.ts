import type * as argon2Module from '@node-rs/argon2'
import { unsealData } from 'iron-session'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, clearRateLimits, comparable, lockWait, TestClient } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { makeTestNote, testNoteApp } from '#app/test/test-note.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

/** The digests that a password was verified against. */
const verified = vi.hoisted((): string[] => [])
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const argon2 = await importOriginal<typeof argon2Module>()
  const verify: typeof argon2.verify = (digest, ...rest) => {
    verified.push(String(digest))
    return argon2.verify(digest, ...rest)
  }
  return { ...argon2, verify }
})

const app = await testNoteApp()
const user = await app.within(() => makeUser({ name: 'Alice' }))
const signIn = (client: TestClient, form: Record<string, string>, headers = {}) =>
  client.post('/login', { form, headers })
const isSignedIn = async (client: TestClient) => (await client.get('/account')).status === 200
const fresh = () => app.signInAs(user.email)

beforeEach(() => clearRateLimits(app.db))

describe('POST /login', () => {
  it('starts a session with a sealed, HttpOnly cookie', async () => {
    const client = app.guest
    const answer = await signIn(client, { email: user.email, password: DEMO_PASSWORD })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect(answer.headers.getSetCookie()).toHaveLength(2)
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^sid=Fe26\.2\*.+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(await isSignedIn(client)).toBe(true)
    client.cookies.clear()
  })

  it('accepts the address in any case and with surrounding spaces', async () => {
    const answer = await signIn(app.guest, {
      email: ` ${user.email.toUpperCase()} `,
      password: DEMO_PASSWORD,
    })
    expect(answer.status).toBe(303)
    app.guest.cookies.clear()
  })

  it('returns the same response for an unknown address and a wrong password', async () => {
    const email = 'nobody@example.test'
    const unknown = await signIn(app.guest, { email, password: 'wrong' })
    const wrong = await signIn(app.guest, { email: user.email, password: 'wrong' })
    const body = (answer: Answer) => {
      const { status, text } = comparable(answer)
      return { status, text: text.replaceAll(user.email, email) }
    }
    expect(body(wrong)).toEqual(body(unknown))
    expect(unknown.status).toBe(422)
  })

  it('does the same work for both, so that the response time reveals nothing', async () => {
    // The digests differ in the salt and the hash, which determine no cost.
    const cost = (digest: string) => digest.replace(/[^$]+\$[^$]+$/, '')
    const work = async (email: string) => {
      app.statements.length = 0
      verified.length = 0
      await signIn(app.guest, { email, password: 'wrong' })
      return { statements: [...app.statements], verified: verified.map(cost) }
    }
    const [known, unknown] = [await work(user.email), await work('nobody@example.test')]
    expect(known.verified).toEqual(['$argon2id$v=19$m=19456,t=2,p=1$'])
    expect(unknown).toEqual(known)
  })

  it('rejects a disabled user like a wrong password', async () => {
    const gone = await app.within(() => makeUser())
    await app.within(() => users.asSystem('test').update(gone.id, { disabled_at: new Date().toISOString() }))
    expect((await signIn(app.guest, { email: gone.email, password: DEMO_PASSWORD })).status).toBe(422)
  })

  it.each(['email', 'password'])('returns 422 without %s, or if it is too long', async (field) => {
    const form = { email: user.email, password: DEMO_PASSWORD }
    const { [field as 'email']: _, ...lacking } = form
    expect((await signIn(app.guest, lacking)).status).toBe(422)
    expect((await signIn(app.guest, { ...form, [field]: 'x'.repeat(1_000) })).status).toBe(422)
  })

  it('starts a new session each time, and ends the session of the request', async () => {
    const client = await fresh()
    const planted = client.cookies.get('sid') ?? ''
    await signIn(client, { email: user.email, password: DEMO_PASSWORD })
    expect(client.cookies.get('sid')).not.toBe(planted)
    expect(await isSignedIn(client)).toBe(true)
    client.cookies.set('sid', planted)
    expect(await isSignedIn(client)).toBe(false)
  })

  it.each([
    ['disabled', { disabled_at: new Date().toISOString() }],
    ['changed to another password', { password_digest: 'another' }],
  ])('rejects a user who is %s while the password is checked', async (_, values) => {
    const someone = await app.within(() => makeUser())
    const client = new TestClient(app.url)
    const answer = await app.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('users').set(values).where('id', '=', someone.id).execute()
      const answer = signIn(client, { email: someone.email, password: DEMO_PASSWORD })
      await lockWait(app.db)
      return { answer }
    })
    expect((await answer.answer).status).toBe(422)
    expect(client.cookies.has('sid')).toBe(false)
  })

  it('redirects to the return path, and never to another site', async () => {
    const form = { email: user.email, password: DEMO_PASSWORD }
    const back = await signIn(app.guest, { ...form, return_to: '/account?x=1#f' })
    expect(back.headers.get('location')).toBe('/account?x=1#f')
    const elsewhere = await signIn(app.guest, { ...form, return_to: '//evil.example/' })
    expect(elsewhere.headers.get('location')).toBe('/')
    app.guest.cookies.clear()
  })

  it('renders only a local return path into the form', async () => {
    const { text } = await app.guest.get('/login?return_to=https://evil.example')
    expect(text).not.toContain('evil.example')
    expect((await app.guest.get('/login?return_to=/account/password')).text).toContain(
      'value="/account/password"',
    )
  })

  it('stores an argon2id digest and never the password', async () => {
    const { password_digest } = await app.db
      .selectFrom('users')
      .select('password_digest')
      .executeTakeFirstOrThrow()
    expect(password_digest).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})

describe('sign-in failures', () => {
  it('throttle an account after five, even with the right password', async () => {
    const attempt = (password: string) => signIn(app.guest, { email: user.email, password })
    for (let failure = 0; failure < 5; failure++) expect((await attempt('wrong')).status).toBe(422)
    const blocked = await attempt(DEMO_PASSWORD)
    expect(blocked.status).toBe(429)
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(blocked.text).toContain('role="alert"')
  })

  it('elsewhere don’t lock out a browser that signed in before', async () => {
    const owner = await fresh()
    await owner.post('/logout')
    const attempt = (client: TestClient, password: string) => signIn(client, { email: user.email, password })
    for (let failure = 0; failure < 6; failure++) await attempt(app.guest, 'wrong')
    expect((await attempt(app.guest, DEMO_PASSWORD)).status).toBe(429)
    expect((await attempt(owner, DEMO_PASSWORD)).status).toBe(303)
    // The owner's success doesn't reset the counter of the others.
    expect((await attempt(app.guest, DEMO_PASSWORD)).status).toBe(429)
  })

  it('of twenty strangers in a network don’t lock out a browser that signed in before', async () => {
    const owner = await fresh()
    await owner.post('/logout')
    for (let index = 0; index < 21; index++)
      await signIn(app.guest, { email: `someone-${index}@example.test`, password: 'x' })
    expect((await signIn(app.guest, { email: user.email, password: DEMO_PASSWORD })).status).toBe(429)
    expect((await signIn(owner, { email: user.email, password: DEMO_PASSWORD })).status).toBe(303)
  })

  it('throttle a known browser after five, and no other browser', async () => {
    const [thief, owner] = [await fresh(), await fresh()]
    const attempt = (client: TestClient, password: string) => signIn(client, { email: user.email, password })
    for (let failure = 0; failure < 5; failure++) expect((await attempt(thief, 'wrong')).status).toBe(422)
    expect((await attempt(thief, DEMO_PASSWORD)).status).toBe(429)
    expect((await attempt(owner, DEMO_PASSWORD)).status).toBe(303)
    expect((await attempt(app.guest, DEMO_PASSWORD)).status).toBe(303)
    app.guest.cookies.clear()
  })

  it('are counted for each account of a known browser', async () => {
    const other = await app.within(() => makeUser())
    const attacker = await app.signInAs(other.email)
    for (let failure = 0; failure < 5; failure++)
      await signIn(attacker, { email: user.email, password: 'wrong' })
    // The attacker's browser knows another account, so that its failures counted like those of a stranger.
    expect((await signIn(app.guest, { email: user.email, password: DEMO_PASSWORD })).status).toBe(429)
    expect((await signIn(attacker, { email: other.email, password: DEMO_PASSWORD })).status).toBe(303)
  })

  it('are reset by a success', async () => {
    for (let round = 0; round < 3; round++) {
      for (let failure = 0; failure < 4; failure++)
        await signIn(app.guest, { email: user.email, password: 'wrong' })
      expect((await signIn(app.guest, { email: user.email, password: DEMO_PASSWORD })).status).toBe(303)
      app.guest.cookies.clear()
    }
  })

  it('don’t include successes, so that frequent sign-ins from one address are not throttled', async () => {
    for (let count = 0; count < 22; count++) {
      expect((await signIn(app.guest, { email: user.email, password: DEMO_PASSWORD })).status).toBe(303)
      app.guest.cookies.clear()
    }
  })

  it('throttle an address after twenty, even with a forged X-Forwarded-For', async () => {
    const attempt = (index: number) =>
      signIn(
        app.guest,
        { email: `someone-${index}@example.test`, password: 'x' },
        { 'x-forwarded-for': `10.0.0.${index}` },
      )
    for (let index = 0; index < 20; index++) expect((await attempt(index)).status).toBe(422)
    expect((await attempt(20)).status).toBe(429)
  })

  it('are counted by the client address that a trusted proxy reports', async () => {
    const behindProxy = await testApp({ database: app, env: { SERVER__TRUST_PROXY: '1' } })
    const attempt = (index: number, forwarded: string) =>
      signIn(
        behindProxy.guest,
        { email: `someone-${index}@example.test`, password: 'x' },
        { 'x-forwarded-for': forwarded },
      )
    // The proxy appends the last entry. A client can forge all entries before it.
    for (let index = 0; index < 20; index++) await attempt(index, `10.0.0.${index}, 203.0.113.7`)
    expect((await attempt(20, '10.0.0.99, 203.0.113.7')).status).toBe(429)
    expect((await attempt(21, '203.0.113.8')).status).toBe(422)
  })

  it('are each counted once, even if they are concurrent', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => signIn(app.guest, { email: user.email, password: 'x' })),
    )
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5)
  })

  it('expire after fifteen minutes', async () => {
    for (let failure = 0; failure < 6; failure++)
      await signIn(app.guest, { email: user.email, password: 'wrong' })
    await app.db
      .updateTable('rate_limits')
      .set({ expire: sql`expire - 15 * 60 * 1000` })
      .execute()
    expect((await signIn(app.guest, { email: user.email, password: DEMO_PASSWORD })).status).toBe(303)
    app.guest.cookies.clear()
  })
})

describe('POST /logout', () => {
  it('ends the session, so that a copy of the cookie is useless', async () => {
    const client = await fresh()
    const copy = client.cookies.get('sid') ?? ''
    expect((await client.post('/logout')).status).toBe(303)
    expect(client.cookies.has('sid')).toBe(false)
    client.cookies.set('sid', copy)
    expect(await isSignedIn(client)).toBe(false)
  })

  it('returns 405 for GET', async () => {
    expect((await app.guest.get('/logout')).status).toBe(405)
  })
})

describe('a session', () => {
  const age = (column: 'last_seen_at' | 'created_at', by: string) =>
    sql`update sessions set ${sql.ref(column)} = now() - ${by}::interval`.execute(app.db)

  it.each([
    ['last_seen_at', '23 hours', true],
    ['last_seen_at', '25 hours', false],
    ['created_at', '29 days', true],
    ['created_at', '31 days', false],
  ] as const)('whose %s is %s ago: %s', async (column, by, alive) => {
    const client = await fresh()
    await age(column, by)
    expect(await isSignedIn(client)).toBe(alive)
  })

  it('is deleted after it expires when its user signs in again', async () => {
    const someone = await app.within(() => makeUser())
    const sessions = async () => {
      const rows = app.db.selectFrom('sessions').select('token_digest').where('user_id', '=', someone.id)
      return (await rows.execute()).length
    }
    await app.signInAs(someone.email)
    await app.signInAs(someone.email)
    expect(await sessions()).toBe(2)
    await age('last_seen_at', '25 hours')
    await app.signInAs(someone.email)
    expect(await sessions()).toBe(1)
  })

  it('is extended by each use, with at most one write every five minutes', async () => {
    const client = await fresh()
    await age('last_seen_at', '20 minutes')
    app.statements.length = 0
    for (let request = 0; request < 3; request++) await isSignedIn(client)
    expect(app.statements.filter((statement) => statement.startsWith('update "sessions"'))).toHaveLength(1)
  })

  it('ends at the next request after its user is disabled, and has new roles immediately', async () => {
    const someone = await app.within(() => makeUser())
    const client = await app.signInAs(someone.email)
    const set = (values: { roles?: string[]; disabled_at?: string }) =>
      app.within(() => users.asSystem('test').update(someone.id, values))
    const draft = await app.within(() => makeTestNote({ published: false }))
    const sees = async () => (await client.get(`/api/test-notes/${draft.id}`)).status
    expect(await sees()).toBe(404)
    await set({ roles: ['admin'] })
    expect(await sees()).toBe(200)
    await set({ roles: [] })
    expect(await sees()).toBe(404)
    await set({ disabled_at: new Date().toISOString() })
    expect(await isSignedIn(client)).toBe(false)
  })

  it('lasts as long as the settings say, and so does its cookie', async () => {
    const env = { SESSION__IDLE_MINUTES: '10', SESSION__LIFETIME_HOURS: '2' }
    const strict = await testApp({ database: app, env })
    const answer = await signIn(strict.guest, { email: user.email, password: DEMO_PASSWORD })
    const [, maxAge] = /^sid=.*; Max-Age=(\d+);/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
    expect(Number(maxAge)).toBeGreaterThan(7_000)
    expect(Number(maxAge)).toBeLessThanOrEqual(7_200)
    for (const [column, open, ended] of [
      ['last_seen_at', '9 minutes', '11 minutes'],
      ['created_at', '119 minutes', '121 minutes'],
    ] as const) {
      const client = await strict.signInAs(user.email)
      await age(column, open)
      expect(await isSignedIn(client)).toBe(true)
      await age(column, ended)
      expect(await isSignedIn(client)).toBe(false)
    }
  })

  it('is extended more often if it ends sooner', async () => {
    const strict = await testApp({ database: app, env: { SESSION__IDLE_MINUTES: '5' } })
    const client = await strict.signInAs(user.email)
    await age('last_seen_at', '61 seconds')
    app.statements.length = 0
    for (let request = 0; request < 3; request++) await isSignedIn(client)
    expect(app.statements.filter((statement) => statement.startsWith('update "sessions"'))).toHaveLength(1)
  })

  it('is loaded by one indexed query', async () => {
    const client = await fresh()
    app.statements.length = 0
    await client.get('/login')
    expect(app.statements).toHaveLength(1)
  })

  it('can’t be read from another cookie: each seal is bound to its name', async () => {
    const client = await fresh()
    await client.post('/test-notes', { form: { title: 'T', body: 'B' } })
    const [sid = '', flash = ''] = [client.cookies.get('sid'), client.cookies.get('flash')]
    expect(flash).not.toBe('')
    client.cookies.set('sid', flash)
    expect(await isSignedIn(client)).toBe(false)
    const seal = (name: string) =>
      unsealData<object>(sid, { password: `${name} a secret for tests that is long enough`, ttl: 0 })
    expect(await seal('flash')).toEqual({})
    expect(Object.keys(await seal('sid'))).toEqual(['token'])
  })

  it.each(['garbage', 'Fe26.2*1*forged*a*b*c*d*e', ''])('can’t be forged: %s', async (cookie) => {
    const client = await fresh()
    client.cookies.set('sid', cookie)
    expect(await isSignedIn(client)).toBe(false)
    expect((await client.get('/')).status).toBe(200)
  })

  it('returns 503 if the database fails, and never treats the user as a guest', async () => {
    const client = await fresh()
    await sql`alter table sessions rename to sessions_away`.execute(app.db)
    try {
      for (const path of ['/', '/api/test-notes', '/account']) {
        const { status, headers } = await client.get(path)
        expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      }
      expect((await app.guest.get('/')).status).toBe(200)
    } finally {
      await sql`alter table sessions_away rename to sessions`.execute(app.db)
    }
  })
})

describe('over https', () => {
  it('sets Secure cookies with the __Host- prefix, and HSTS', async () => {
    const secure = await testApp({ database: app, env: { BASE_URL: 'https://example.org' } })
    const answer = await secure.guest.post('/login', { form: { email: user.email, password: DEMO_PASSWORD } })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-sid=.+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
    expect(answer.headers.get('set-cookie')).not.toContain('Domain')
  })
})
