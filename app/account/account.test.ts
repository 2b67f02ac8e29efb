import { sql } from 'kysely'
import { Client } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { clearRateLimits, comparable, lockWait, TestClient } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { makeTestNote, testNoteApp, testNoteDatabase, testNotes } from '#app/test/test-note.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

const database = await testNoteDatabase()
const app = await testNoteApp({ database, env: { APP__NAME: 'Pergola' } })
// This admin remains when the tests delete other admins.
await app.within(() => makeUser({ roles: ['admin'] }))

beforeEach(() => clearRateLimits(app.db))

const NEW = 'another long one'
const make = (values: Parameters<typeof makeUser>[0] = {}) => app.within(() => makeUser(values))
const stored = (id: number) => app.within(() => users.asSystem('test').find(id))
const isSignedIn = async (client: TestClient) => (await client.get('/account/password')).status === 200

/** Creates a user, and signs the user in with this many browsers. */
async function signedIn(browsers = 1, values: Parameters<typeof makeUser>[0] = {}) {
  const user = await make(values)
  const clients: TestClient[] = []
  for (let count = 0; count < browsers; count++) clients.push(await app.signInAs(user.email))
  const [client, ...others] = clients
  if (client === undefined) throw new Error('Pass a number of browsers greater than 0.')
  return { user, client, others }
}

const send = (client: TestClient, method: string, path: string, form: Record<string, string> = {}) =>
  client.post(path, { form: { _method: method, ...form } })
const putProfile = async (client: TestClient, form: Record<string, string>) => {
  const [, version] = /name="_version" value="(\d+)"/.exec((await client.get('/account')).text) ?? []
  return send(client, 'PUT', '/account', { ...(version !== undefined && { _version: version }), ...form })
}
const putPassword = (client: TestClient, current_password = DEMO_PASSWORD, password = NEW) =>
  send(client, 'PUT', '/account/password', { current_password, password })
const confirm = (client: TestClient) =>
  client.post('/account/confirm', { form: { current_password: DEMO_PASSWORD } })
const deleteAccount = (client: TestClient) => send(client, 'DELETE', '/account')

const sessionsOf = (userId: number) =>
  app.db.selectFrom('sessions').selectAll().where('user_id', '=', userId).orderBy('id').execute()

describe('every route of /account', () => {
  it('redirects guests to the sign-in page', async () => {
    const answers = await Promise.all([
      app.guest.get('/account'),
      app.guest.get('/account/password'),
      app.guest.get('/account/delete'),
      putProfile(app.guest, { name: 'N' }),
      putPassword(app.guest),
      deleteAccount(app.guest),
      send(app.guest, 'DELETE', '/account/sessions'),
      send(app.guest, 'DELETE', '/account/sessions/1'),
    ])
    for (const { status, headers } of answers)
      expect([status, headers.get('location')?.slice(0, 7)]).toEqual([303, '/login?'])
  })

  it('returns a denial if the policy denies, before it validates the input', async () => {
    const { user, client } = await signedIn()
    const strict = await testApp({
      database: app,
      policies: [[users.resource, { ...users.options.policy!, rules: {} }]],
    })
    const stranger = new TestClient(strict.url)
    for (const [name, value] of client.cookies) stranger.cookies.set(name, value)
    const answers = [
      await putProfile(stranger, { name: '' }),
      await putPassword(stranger),
      await deleteAccount(stranger),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(await stored(user.id)).not.toBeNull()
  })
})

describe('PUT /account', () => {
  it('returns 409 after a concurrent change by an admin, and keeps the submitted name', async () => {
    const { user, client } = await signedIn()
    await app.within(() => users.asSystem('meanwhile').update(user.id, { name: 'Renamed' }))
    const answer = await send(client, 'PUT', '/account', { name: '<b>Carol', _version: '1' })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(
      /<input[^>]* value="&lt;b&gt;Carol"[^>]* aria-describedby="name-now name-hint"/,
    )
    expect(answer.text).toContain('id="name-now">Current value: <span dir="auto">Renamed</span>')
    expect(answer.text).toContain('name="_version" value="2"')
    expect(await stored(user.id)).toMatchObject({ name: 'Renamed', version: 2 })
  })

  it('changes the name on every page', async () => {
    const { user, client } = await signedIn()
    const answer = await putProfile(client, { name: '  Carol  ' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    expect(await stored(user.id)).toEqual({ ...(await stored(user.id)), name: 'Carol' })
    expect((await client.get('/')).text).toContain('>Carol</strong>')
  })

  it.each(['', '\u202enimdA', 'x'.repeat(81)])('returns 422 for the name %j', async (name) => {
    const { user, client } = await signedIn()
    const { status, text } = await putProfile(client, { name })
    expect([status, text.includes('name-error')]).toEqual([422, true])
    expect(await stored(user.id)).toMatchObject({ name: user.name })
  })

  it.each(['roles', 'admin', 'email', 'password_digest', 'disabled_at', 'id', 'created_at', 'user_id'])(
    'rejects a field named %s',
    async (field) => {
      const { user, client } = await signedIn()
      const before = await stored(user.id)
      expect((await putProfile(client, { name: 'Carol', [field]: 'admin' })).status).toBe(422)
      expect(await stored(user.id)).toEqual(before)
    },
  )

  it('rejects other methods, with or without _method', async () => {
    const { client } = await signedIn()
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      expect((await send(client, method, '/account/delete')).status).toBe(405)
    expect((await client.post('/account', { form: { name: 'N' } })).status).toBe(405)
    expect((await send(client, 'GET', '/account')).status).toBe(400)
  })
})

describe('PUT /account/password', () => {
  it('changes the password, ends all other sessions, and issues a new token', async () => {
    const { user, client, others } = await signedIn(3)
    const old = client.cookies.get('sid') ?? ''
    const answer = await putPassword(client)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    expect(await Promise.all(others.map(isSignedIn))).toEqual([false, false])
    const [api] = others
    expect((await api?.post('/api/test-notes', { json: {} }))?.status).toBe(401)
    expect(await isSignedIn(client)).toBe(true)
    client.cookies.set('sid', old)
    expect(await isSignedIn(client)).toBe(false)

    await expect(app.signInAs(user.email)).rejects.toThrow('422')
    const again = await app.guest.post('/login', { form: { email: user.email, password: NEW } })
    expect(again.status).toBe(303)
    app.guest.cookies.clear()
  })

  it('returns 422 with an error for the wrong password, and shows neither password', async () => {
    const { user, client, others } = await signedIn(2)
    const { status, text } = await putPassword(client, 'a wrong password')
    expect(status).toBe(422)
    expect(text).toMatch(/<input[^>]* name="current_password"[^>]* aria-describedby="current_password-error"/)
    expect(text).toContain('Wrong password.')
    for (const secret of ['a wrong password', NEW]) expect(text).not.toContain(secret)
    expect(await Promise.all(others.map(isSignedIn))).toEqual([true])
    expect(await isSignedIn(await app.signInAs(user.email))).toBe(true)
  })

  it.each([
    ['password', 'short'],
    ['password', 'x'.repeat(257)],
    ['password', 'password123'],
    ['password', 'nul\0nul\0nul'],
    ['current_password', 'x'.repeat(257)],
    ['roles', 'admin'],
    ['user_id', '1'],
  ])('returns 422 for %s=%s', async (field, value) => {
    const { client } = await signedIn()
    const form = { current_password: DEMO_PASSWORD, password: NEW, [field]: value }
    expect((await send(client, 'PUT', '/account/password', form)).status).toBe(422)
  })

  it('returns 422 for the own address or name, or the name of the application, in any case', async () => {
    const { user, client } = await signedIn()
    for (const words of [user.email.toUpperCase(), `${user.name} password`, 'Pergola password']) {
      const form = { current_password: DEMO_PASSWORD, password: words }
      const { status, text } = await send(client, 'PUT', '/account/password', form)
      expect([status, text.includes('Use more than your name')]).toEqual([422, true])
    }
  })

  it('shares the limit of sign-in: rejects every attempt after five, here and at sign-in', async () => {
    const { user, client } = await signedIn()
    for (let guess = 0; guess < 5; guess++) expect((await putPassword(client, 'wrong')).status).toBe(422)
    const refused = await putPassword(client)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await confirm(client)).status).toBe(429)
    const again = await client.post('/login', { form: { email: user.email, password: DEMO_PASSWORD } })
    expect(again.status).toBe(429)
    expect(await isSignedIn(client)).toBe(true)
  })

  it('shares the limit of sign-in elsewhere, if only the session was stolen', async () => {
    const { user, client } = await signedIn()
    client.cookies.delete('browser')
    for (let guess = 0; guess < 5; guess++) await putPassword(client, 'wrong')
    expect((await putPassword(client)).status).toBe(429)
    await expect(app.signInAs(user.email)).rejects.toThrow('429')
  })

  it('makes one of two concurrent changes', async () => {
    const { user, client, others } = await signedIn(2)
    const [other = client] = others
    // Both requests pass the check of the password before either changes it.
    const { changes } = await database.db.transaction().execute(async (holder) => {
      await sql`select from users where id = ${user.id} for update`.execute(holder)
      const changes = Promise.all([putPassword(client), putPassword(other, DEMO_PASSWORD, 'yet another one')])
      await lockWait(database.db, 2)
      return { changes }
    })
    const answers = await changes
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 422]))
    const password = answers[0].status === 303 ? NEW : 'yet another one'
    expect((await app.guest.post('/login', { form: { email: user.email, password } })).status).toBe(303)
    app.guest.cookies.clear()
    expect(await sessionsOf(user.id)).toHaveLength(2)
  })

  it('counts ten concurrent guesses', async () => {
    const { client } = await signedIn()
    const answers = await Promise.all(Array.from({ length: 10 }, () => putPassword(client, 'wrong')))
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5)
  })
})

describe('GET /.well-known/change-password', () => {
  it('redirects password managers to the form', async () => {
    const { status, headers } = await app.guest.get('/.well-known/change-password')
    expect([status, headers.get('location')]).toEqual([303, '/account/password'])
  })
})

describe('the sessions of an account', () => {
  it('lists browsers and marks the current one', async () => {
    const user = await make()
    const client = new TestClient(app.url)
    const agents = [
      `Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0 ${'x'.repeat(300)}`,
      'Mozilla/5.0 (iPhone) <script>alert(1)</script> Safari/604.1',
    ]
    for (const agent of agents) {
      const form = { email: user.email, password: DEMO_PASSWORD }
      if (agent === agents[1]) client.cookies.clear()
      await client.post('/login', { form, headers: { 'user-agent': agent } })
    }
    const { text } = await client.get('/account')
    const rows = text.split('<tr role="row"').slice(2)
    expect(rows.map((row) => [row.includes('Safari on iPhone'), row.includes('This browser')])).toEqual([
      [true, true],
      [false, false],
    ])
    expect(rows[1]).toContain('Firefox on Linux')
    const sessions = await sessionsOf(user.id)
    expect(sessions.map(({ user_agent }) => user_agent.length)).toEqual([200, agents[1]?.length])
    for (const { token_digest } of sessions) expect(text).not.toContain(token_digest)
    expect(text).not.toContain('<script>alert')
  })

  it('omits expired sessions', async () => {
    const { client, others } = await signedIn(2)
    await sql`update sessions set last_seen_at = now() - interval '25 hours'
      where id = (select max(id) from sessions)`.execute(app.db)
    expect(others).toHaveLength(1)
    expect((await client.get('/account')).text.split('action="/account/sessions/').length - 1).toBe(1)
  })

  it('ends a single session', async () => {
    const { user, client, others } = await signedIn(3)
    const [, second] = await sessionsOf(user.id)
    const answer = await send(client, 'DELETE', `/account/sessions/${second?.id}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    expect(await Promise.all([client, ...others].map(isSignedIn))).toEqual([true, false, true])
    expect((await send(client, 'DELETE', `/account/sessions/${second?.id}`)).status).toBe(404)
  })

  it('signs out when the current session is ended', async () => {
    const { user, client, others } = await signedIn(2)
    const [first] = await sessionsOf(user.id)
    const answer = await send(client, 'DELETE', `/account/sessions/${first?.id}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect(client.cookies.has('sid')).toBe(false)
    expect(await Promise.all([client, ...others].map(isSignedIn))).toEqual([false, true])
  })

  it('ends all other sessions of the user, and none of other users', async () => {
    const stranger = await signedIn()
    const { client, others } = await signedIn(3)
    expect((await send(client, 'DELETE', '/account/sessions')).status).toBe(303)
    expect(await Promise.all([client, ...others].map(isSignedIn))).toEqual([true, false, false])
    expect(await isSignedIn(stranger.client)).toBe(true)
  })

  it('returns the same 404 for the session of another user, an unknown id and a malformed id', async () => {
    const stranger = await signedIn()
    const { client } = await signedIn()
    const [theirs] = await sessionsOf(stranger.user.id)
    const ids = [
      theirs?.id,
      999_999,
      'abc',
      '01',
      '1e0',
      '-1',
      '0',
      '9'.repeat(40),
      '%00',
      '9007199254740993',
    ]
    const answers = await Promise.all(
      ids.map((id) => client.post(`/account/sessions/${id}`, { form: { _method: 'DELETE' } })),
    )
    for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0]!))
    expect(answers[0]?.status).toBe(404)
    expect(await isSignedIn(stranger.client)).toBe(true)
  })
})

describe('DELETE /account', () => {
  it('deletes the user, ends every session, and flashes a message', async () => {
    const { user, client, others } = await signedIn(2)
    const answer = await deleteAccount(client)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect(client.cookies.has('sid')).toBe(false)
    expect((await client.get('/')).text).toContain('Account deleted.')
    expect(await stored(user.id)).toBeNull()
    expect(await sessionsOf(user.id)).toEqual([])
    expect(await Promise.all(others.map(isSignedIn))).toEqual([false])
    await expect(app.signInAs(user.email)).rejects.toThrow('422')
  })

  it('asks for the password if the sign-in was more than 15 minutes ago', async () => {
    const { user, client } = await signedIn()
    await sql`update sessions set confirmed_at = now() - interval '16 minutes' where user_id = ${user.id}`.execute(
      app.db,
    )
    const answers = [await client.get('/account/delete'), await deleteAccount(client)]
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, '/account/confirm?return_to=%2Faccount%2Fdelete'],
      [303, '/account/confirm?return_to=%2F&refused=true'],
    ])
    expect(await stored(user.id)).not.toBeNull()
    expect((await confirm(client)).status).toBe(303)
    expect((await deleteAccount(client)).headers.get('location')).toBe('/')
    expect(await stored(user.id)).toBeNull()
  })

  it('rejects unknown fields and JSON', async () => {
    const { user, client } = await signedIn()
    expect((await send(client, 'DELETE', '/account', { id: '1' })).status).toBe(422)
    expect((await client.delete('/account', { json: {} })).status).toBe(415)
    expect(await stored(user.id)).not.toBeNull()
  })

  it('deletes the links of the user', async () => {
    const { user, client } = await signedIn()
    await client.post('/password-reset', { form: { email: user.email } })
    const tokens = database.db.selectFrom('account_tokens').select('purpose').where('user_id', '=', user.id)
    expect(await tokens.execute()).toEqual([{ purpose: 'password' }])
    expect((await deleteAccount(client)).status).toBe(303)
    expect(await tokens.execute()).toEqual([])
  })

  it('returns an error while the user has records, drafts included, and succeeds after their deletion', async () => {
    const { user, client, others } = await signedIn(2)
    const note = await app.within(() => makeTestNote({ owner_id: user.id, published: false }))
    const { status, text } = await deleteAccount(client)
    expect(status).toBe(422)
    expect(text).toContain('The account still has test notes. Nothing was deleted.')
    expect(text).toContain('Delete my records too: 1 test notes')
    expect(await Promise.all([client, ...others].map(isSignedIn))).toEqual([true, true])
    await app.within(() => testNotes.asSystem('test').delete(note.id))
    expect((await deleteAccount(client)).status).toBe(303)
  })

  it('deletes the records too if the user chooses it', async () => {
    const { user, client } = await signedIn()
    const notes = await app.within(() =>
      Promise.all([true, false].map((published) => makeTestNote({ owner_id: user.id, published }))),
    )
    const other = await app.within(() => makeTestNote())
    expect((await send(client, 'DELETE', '/account', { records: 'on' })).status).toBe(303)
    const left = await Promise.all(
      [...notes, other].map(({ id }) => app.within(() => testNotes.asSystem('test').find(id))),
    )
    expect([await stored(user.id), ...left.map((note) => note?.id)]).toEqual([
      null,
      undefined,
      undefined,
      other.id,
    ])
  })

  it('never leaves a record without its owner, even if it is inserted concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const { user, client, others } = await signedIn(2)
      const [writer] = others
      const [deleted, written] = await Promise.all([
        deleteAccount(client),
        writer?.post('/test-notes', { form: { title: 'T', body: 'B' } }),
      ])
      expect([303, 422]).toContain(deleted.status)
      const left = await app.within(() =>
        testNotes.asSystem('test').count({ where: (is) => is('owner_id', '=', user.id) }),
      )
      expect(left).toBe(deleted.status === 303 ? 0 : 1)
      expect(written?.status).toBeLessThan(500)
    }
  })

  it('rejects a session that a concurrent change of the password ends', async () => {
    const { user, client } = await signedIn()
    const { id } = await app.within(() => makeUser({ roles: ['admin'] }))
    const lock = new Client({ connectionString: database.url })
    await lock.connect()
    await lock.query('begin')
    await lock.query('select from users where id = $1 for update', [id])
    const waiting = deleteAccount(client)
    await lockWait(database.db)
    await lock.query('delete from sessions where user_id = $1', [user.id])
    await lock.query('commit')
    await lock.end()
    expect((await waiting).status).toBe(401)
    expect(await stored(user.id)).not.toBeNull()
  })

  it('rejects the last admin, and keeps one of two admins who delete themselves concurrently', async () => {
    const own = await testApp()
    const made = await own.within(() => Promise.all([1, 2].map(() => makeUser({ roles: ['admin'] }))))
    const admins = await Promise.all(made.map(({ email }) => own.signInAs(email)))
    const answers = await Promise.all(admins.map((client) => deleteAccount(client)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 422]))
    expect(answers.find(({ status }) => status === 422)?.text).toContain('This is the last active admin.')
  })
})
