import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { policy, type PolicyContext } from 'pergola'
import { fieldRules } from 'pergola/features'
import { spawnServer } from 'pergola/lab'
import { lockTable, lockWait, TestClient, testDatabase } from 'pergola/testing'
import { Note, notePolicy, notes } from './fixtures/note.ts'
import { type Newcomer, testApp } from './fixtures/test-app.ts'

const database = await testDatabase()
const app = await testApp({ database })
let alice: Newcomer
beforeEach(async () => {
  await sql`delete from notes`.execute(app.db)
  alice = await app.newcomer()
})

let made = 0
const newKey = () => `key ${++made}`
const draft = { title: 'Once', body: 'B' }
const create = (client: TestClient, key: string, json: object = draft, path = '/api/notes') =>
  client.post(path, { json, headers: { 'Idempotency-Key': key } })
const titles = async () =>
  (await app.within(() => notes.asSystem('test').findAll())).map(({ title }) => title)

/** Starts the fixture application in another process, with Alice's session. */
async function startServer() {
  const { server, url } = await spawnServer(join(import.meta.dirname, 'fixtures/server.ts'), {
    DATABASE_URL: database.url,
  })
  const client = new TestClient(url)
  for (const [name, value] of alice.cookies) client.cookies.set(name, value)
  return { server, client }
}

describe('POST /api/notes with an Idempotency-Key', () => {
  it('stores one row for ten equal requests at once, and answers all of them equally', async () => {
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(alice, key)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await titles()).toEqual(['Once'])
  })

  it('stores one row if the second request has a slash at the end of its path', async () => {
    const key = newKey()
    const answers = [await create(alice, key), await create(alice, key, draft, '/api/notes/')]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await titles()).toEqual(['Once'])
  })

  it('answers a request whose client has left, and stores its row once', async () => {
    const key = newKey()
    const release = await lockTable(app.db, 'notes')
    const leaving = new AbortController()
    const lost = fetch(`${app.url}/api/notes`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        'Idempotency-Key': key,
        'Content-Type': 'application/json',
        cookie: [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body: JSON.stringify(draft),
    })
    await lockWait(app.db)
    leaving.abort()
    await expect(lost).rejects.toThrow('aborted')
    const again = create(alice, key)
    await lockWait(app.db, 2)
    await release()
    expect((await again).status).toBe(201)
    expect(await titles()).toEqual(['Once'])
  })

  it('stores the row once if the server is killed at the commit, and answers after the restart', async () => {
    const key = newKey()
    const first = await startServer()
    const release = await lockTable(app.db, 'notes')
    const lost = create(first.client, key).catch(() => null)
    await lockWait(app.db)
    await release()
    await expect.poll(titles, { interval: 1 }).toEqual(['Once'])
    first.server.kill('SIGKILL')
    await lost
    const [{ id }] = (await app.within(() => notes.asSystem('test').findAll())) as [Note]
    const again = await create((await startServer()).client, key)
    expect([again.status, again.json()]).toEqual([201, expect.objectContaining({ id })])
    expect(await titles()).toEqual(['Once'])
  })

  it('returns 422 for another body or another query', async () => {
    const key = newKey()
    expect((await create(alice, key, { body: 'B', title: 'Once' })).status).toBe(201)
    expect((await create(alice, key, { title: 'Once', body: 'B' })).status).toBe(201)
    for (const [json, path] of [
      [{ ...draft, body: 'Other' }, '/api/notes'],
      [draft, '/api/notes?page=2'],
    ] as const) {
      const answer = await create(alice, key, json, path)
      expect([answer.status, answer.json()]).toEqual([
        422,
        expect.objectContaining({
          code: 'idempotency_key_reused',
          detail: expect.stringContaining('Send a new key'),
        }),
      ])
    }
    expect(await titles()).toEqual(['Once'])
  })

  it('keeps the keys of two users apart', async () => {
    const key = newKey()
    const bob = await app.newcomer()
    const [one, other] = [await create(alice, key), await create(bob, key, { ...draft, title: 'Bob’s' })]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(other.json()).toMatchObject({ title: 'Bob’s', author_id: bob.user.id })
  })

  it('keeps no key of an attempt that stored nothing', async () => {
    const key = newKey()
    expect((await create(alice, key, { title: '', body: 'B' })).status).toBe(422)
    expect((await create(alice, key)).status).toBe(201)
    expect(await titles()).toEqual(['Once'])
  })

  it('returns the current record', async () => {
    const key = newKey()
    const path = (await create(alice, key)).headers.get('location') ?? ''
    await alice.put(path, { json: { title: 'Changed' } })
    const again = await create(alice, key)
    expect([again.status, again.headers.get('location'), again.json()]).toEqual([
      201,
      path,
      (await alice.get(path)).json(),
    ])
  })

  it('returns 404 for a deleted record, and does not store it again', async () => {
    const key = newKey()
    const path = (await create(alice, key)).headers.get('location') ?? ''
    expect((await alice.delete(path)).status).toBe(204)
    expect((await create(alice, key)).status).toBe(404)
    expect(await titles()).toEqual([])
  })

  it.each([
    ['an empty key', ''],
    ['a key of 256 characters', 'k'.repeat(256)],
    ['a control character', 'a\tb'],
    ['a character outside of ASCII', 'ké'],
  ])('returns 400 for %s', async (_name, key) => {
    const answer = await create(alice, key)
    expect([answer.status, answer.json()]).toEqual([
      400,
      expect.objectContaining({
        detail: expect.stringContaining('Send 1 to 255 printable ASCII characters'),
      }),
    ])
    expect(await titles()).toEqual([])
  })

  it('accepts a key of 255 characters', async () => {
    const key = 'k'.repeat(255)
    expect((await create(alice, key)).json()).toEqual((await create(alice, key)).json())
  })

  it('uses a key again after 24 hours', async () => {
    const key = newKey()
    await create(alice, key)
    await sql`update idempotency_keys set created_at = now() - interval '23 hours 59 minutes'`.execute(app.db)
    await create(alice, key)
    expect(await titles()).toHaveLength(1)
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 minute'`.execute(app.db)
    const { id } = (await create(alice, key, { ...draft, title: 'Next' })).json() as Note
    expect((await create(alice, key, { ...draft, title: 'Next' })).json()).toMatchObject({ id })
    expect(await titles()).toHaveLength(2)
  })

  it('sends the statements of keys only with a key', async () => {
    app.statements.length = 0
    await alice.post('/api/notes', { json: draft })
    expect(app.statements.filter((sql) => sql.includes('idempotency_keys') || sql === 'begin')).toEqual([])
    await create(alice, newKey())
    expect(app.statements.filter((sql) => sql.includes('idempotency_keys'))).toHaveLength(2)
  })
})

describe('a repeated request', () => {
  const attempt = async (client: TestClient, change: () => Promise<unknown>) => {
    const key = newKey()
    expect((await create(client, key)).status).toBe(201)
    await change()
    return { repeated: await create(client, key), other: await create(client, newKey()) }
  }

  it('gets the same answer as without the key once the user is disabled', async () => {
    const { repeated, other } = await attempt(alice, () =>
      sql`update users set disabled_at = now() where id = ${alice.user.id}`.execute(app.db),
    )
    expect([repeated.status, other.status]).toEqual([401, 401])
  })

  it('is denied as without the key once the user may not create records', async () => {
    const editors = policy(Note, { ...notePolicy.rules, canCreate: (ctx) => ctx.hasRole('admin') })
    const strict = await testApp({ database, policies: [[Note, editors]] })
    const admin = await strict.newcomer({ roles: ['admin'] })
    const { repeated, other } = await attempt(admin, () =>
      sql`update users set roles = '{}' where id = ${admin.user.id}`.execute(app.db),
    )
    expect([repeated.status, other.status]).toEqual([404, 404])
  })

  it('gets only the fields that the user may see now', async () => {
    const body = { see: (ctx: PolicyContext) => ctx.hasRole('admin'), set: () => true }
    const limited = policy(Note, notePolicy.rules, { fields: fieldRules(Note, { body }) })
    const strict = await testApp({ database, policies: [[Note, limited]] })
    const admin = await strict.newcomer({ roles: ['admin'] })
    const { repeated, other } = await attempt(admin, () =>
      sql`update users set roles = '{}' where id = ${admin.user.id}`.execute(app.db),
    )
    expect([repeated.status, Object.keys(repeated.json() as Note)]).toEqual([
      201,
      Object.keys(other.json() as Note),
    ])
    expect(repeated.json()).not.toHaveProperty('body')
  })

  it('gets the answer of a GET once the user may not see the record', async () => {
    const bob = await app.newcomer()
    const { repeated } = await attempt(alice, () =>
      sql`update notes set author_id = ${bob.user.id}, body = 'private'`.execute(app.db),
    )
    const [{ id }] = (await app.within(() =>
      notes.asSystem('test').findAll({ where: (is) => is('body', '=', 'private') }),
    )) as [Note]
    const hidden = await alice.get(`/api/notes/${id}`)
    const { request_id: _one, ...problem } = repeated.json() as Record<string, unknown>
    const { request_id: _other, ...hiddenProblem } = hidden.json() as Record<string, unknown>
    expect([repeated.status, problem]).toEqual([404, hiddenProblem])
  })
})

describe('the form of a new note', () => {
  const tokenOf = (html: string) => /name="_token" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const openForm = async (client = alice) => tokenOf((await client.get('/notes/new')).text)
  const submit = (_token: string, values: object = {}, client = alice) =>
    client.post('/notes', { form: { ...draft, _token, ...values } })

  it('stores one row for ten equal submissions at once, and redirects all of them to it', async () => {
    const token = await openForm()
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(token)))
    const { id } = (await app.within(() => notes.asSystem('test').findAll()))[0] as Note
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      Array.from({ length: 10 }, () => [303, `/notes/${id}`]),
    )
    expect(await titles()).toEqual(['Once'])
  })

  it('has a token of its own each time, and the form of a stored note has none', async () => {
    const token = await openForm()
    expect(token).toMatch(/^[\da-f-]{36}$/)
    expect(await openForm()).not.toBe(token)
    const path = (await submit(token)).headers.get('location') ?? ''
    expect((await alice.get(`${path}/edit`)).text).not.toContain('_token')
  })

  it('can be submitted again after a validation error', async () => {
    const token = await openForm()
    const refused = await submit(token, { title: '' })
    expect(refused.status).toBe(422)
    expect(tokenOf(refused.text)).toMatch(/^[\da-f-]{36}$/)
    expect((await submit(tokenOf(refused.text))).status).toBe(303)
    expect((await submit(token, { title: 'Also with the first token' })).status).toBe(303)
    expect(await titles()).toHaveLength(2)
  })

  it('is a new submission if its values changed', async () => {
    const token = await openForm()
    await submit(token)
    expect((await submit(token, { body: 'Edited after going back' })).status).toBe(303)
    expect(await titles()).toEqual(['Once', 'Once'])
  })

  it('counts an unknown token as a new one, and keeps the tokens of two users apart', async () => {
    const token = await openForm()
    const bob = await app.newcomer()
    expect((await submit('forged')).status).toBe(303)
    const one = await submit(token)
    const other = await submit(token, {}, bob)
    expect(other.headers.get('location')).not.toBe(one.headers.get('location'))
    expect(await titles()).toHaveLength(3)
  })

  it('returns 400 for a malformed token, and stores rows without one', async () => {
    for (const token of ['', 'k'.repeat(256)]) {
      const answer = await submit(token)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Reload the form')])
    }
    expect(await titles()).toEqual([])
    for (const body of ['title=Once&body=B', 'title=Once&body=B']) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      expect((await alice.post('/notes', { body, headers })).status).toBe(303)
    }
    expect(await titles()).toHaveLength(2)
  })
})
