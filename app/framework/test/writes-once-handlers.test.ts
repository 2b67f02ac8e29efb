import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  authorize,
  authorizeRecord,
  database,
  type Handler,
  inTransaction,
  Invalid,
  policy,
  publicRoute,
  repository,
  routes,
  secured,
} from 'pergola'
import { forgetPolicyContext } from 'pergola/accounts'
import { countExpiredKeys, deleteExpiredKeys } from 'pergola/database'
import { lockTable, lockWait, testDatabase } from 'pergola/testing'
import { inOwnUnit } from '../src/database/executor.ts'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { Note, notePolicy, notes } from './fixtures/note.ts'
import { type Newcomer, testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

const testDb = await testDatabase()
await createLeaves(testDb.db)
await sql`create unique index leaves_title on leaves (owner_id, title) where title like 'unique%'`.execute(
  testDb.db,
)

/** The titles of the leaves that hooks were called for. */
const sent: string[] = []
let isBroken = false
let writer = 0

const leaves = repository(Leaf, {
  api: '/api/leaves',
  policy: leafPolicy,
  scope: leafScope,
  hooks: {
    async afterInsert(leaf) {
      if (leaf.title.startsWith('by a hook')) return
      await leaves.asSystem('test').insert({ owner_id: leaf.owner_id, title: `by a hook of ${leaf.title}` })
    },
    async afterCommit(leaf) {
      sent.push(leaf.title)
      if (isBroken) throw new Error('The mail server is down.')
      if (leaf.title === 'mailed') await notes.asSystem('test').insert(note('by afterCommit'))
    },
  },
})
const note = (title: string) => ({ title, body: 'B', author_id: writer })
const plain = repository(Leaf, { policy: leafPolicy, scope: leafScope })

/** The handler of POST /chores. */
let work: Handler
const table = routes('/chores', {
  'POST /': [secured(), authorize('create', Note), (req, res) => work(req, res)],
  'POST /open': [publicRoute(), (req, res) => work(req, res)],
})
const resources = [{ repository: leaves }, { repository: notes, routes: { table } }, { repository: users }]
const app = await testApp({ database: testDb, resources })
let client: Newcomer

beforeEach(async () => {
  await sql`delete from notes`.execute(app.db)
  await sql`delete from leaves`.execute(app.db)
  client = await app.newcomer()
  writer = client.user.id
  sent.length = 0
  isBroken = false
})

let made = 0
const newKey = () => `key ${++made}`
const run = (key: string, as = client) => as.post('/chores', { headers: { 'Idempotency-Key': key } })
const noteTitles = async () => {
  const rows = await app.within(() => notes.asSystem('test').findAll())
  return rows.map(({ title }) => title).toSorted()
}
const leafTitles = async () => {
  const rows = await app.within(() => leaves.asSystem('test').findAll())
  return rows.map(({ title }) => title).toSorted()
}
const insertNote = async (req: Parameters<Handler>[0], title: string) =>
  notes.insert(await authorizeRecord(req, 'create', Note, { title, body: 'B' }, { set: ['title', 'body'] }))

describe('a handler that inserts several records', () => {
  const insertAll: Handler = async (req, res) => {
    const stored = await inTransaction(async () => [
      await insertNote(req, 'First'),
      await notes.asSystem('test').insert(note('Second')),
      await plain.asSystem('test').insert({ owner_id: writer, title: 'Leaf' }),
      await insertNote(req, 'Third'),
    ])
    res.json(stored.map(({ id, title }) => [id, title]))
  }

  it('inserts each of them once, and gets the same records again', async () => {
    work = insertAll
    const key = newKey()
    const answers = await Promise.all([run(key), run(key), run(key)])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.json()).toEqual([
      [expect.any(Number), 'First'],
      [expect.any(Number), 'Second'],
      [expect.any(Number), 'Leaf'],
      [expect.any(Number), 'Third'],
    ])
    expect([await noteTitles(), await leafTitles()]).toEqual([['First', 'Second', 'Third'], ['Leaf']])
  })

  it('makes the inserts that a failed attempt is missing', async () => {
    let isFirst = true
    work = async (req, res) => {
      const first = await insertNote(req, 'First')
      if (isFirst) {
        isFirst = false
        throw new Error('The process ended.')
      }
      res.json([first.title, (await insertNote(req, 'Second')).title])
    }
    const key = newKey()
    expect((await run(key)).status).toBe(500)
    expect((await run(key)).json()).toEqual(['First', 'Second'])
    expect((await run(key)).json()).toEqual(['First', 'Second'])
    expect(await noteTitles()).toEqual(['First', 'Second'])
  })

  it('may catch an error and insert another record', async () => {
    work = async (req, res) => {
      const insert = async (title: string) =>
        plain.insert(await authorizeRecord(req, 'create', Leaf, { title }, { set: ['title'] }))
      const first = await insert('unique').catch((error: unknown) => {
        if (!(error instanceof Invalid)) throw error
        return insert('unique 2')
      })
      res.json([first.title, (await insert('Other')).title])
    }
    await app.within(() => plain.asSystem('test').insert({ owner_id: writer, title: 'unique' }))
    const key = newKey()
    for (let attempt = 1; attempt <= 2; attempt++)
      expect((await run(key)).json()).toEqual(['unique 2', 'Other'])
    expect(await leafTitles()).toEqual(['Other', 'unique', 'unique 2'])
  })

  it('inserts once in a transaction that runs again after a collision', async () => {
    let attempts = 0
    work = async (req, res) => {
      const insert = async () => {
        attempts++
        return insertNote(req, 'Serial')
      }
      res.json(await inTransaction(insert, { isolation: 'serializable' }))
    }
    const key = newKey()
    const release = await lockTable(app.db, 'notes')
    const running = [run(key), run(key)]
    await lockWait(app.db, 2)
    await release()
    const [one, other] = await Promise.all(running)
    expect([one?.status, other?.status, one?.text]).toEqual([200, 200, other?.text])
    expect(attempts).toBe(3)
    expect(await noteTitles()).toEqual(['Serial'])
  })

  it('updates and deletes once too', async () => {
    const old = await app.within(() => notes.asSystem('test').insert(note('Old')))
    work = async (req, res) => {
      const [writes, author] = [users.asSystem('test'), await users.asSystem('test').find(writer)]
      const stored = await insertNote(req, 'New')
      const counted = await writes.update(writer, { notes_count: (author?.notes_count ?? 0) + 1 })
      const changed = await authorizeRecord(req, 'update', Note, await notes.asSystem('test').find(stored.id))
      const { body } = await notes.update(changed, { body: `${changed.body}+` }, { set: ['body'] })
      res.json([stored.title, counted?.notes_count, body, await notes.asSystem('test').delete(old.id)])
    }
    const key = newKey()
    const answers = await Promise.all([run(key), run(key), run(key)])
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 3 }, () => '["New",1,"B+",true]'))
    expect(await noteTitles()).toEqual(['New'])
  })

  it.each([
    ['without hooks', plain],
    ['with hooks', leaves],
  ])('saves many records %s once, and returns their ids again', async (_name, repository) => {
    let decisions = 0
    work = async (req, res) => {
      async function* drafts() {
        for (const title of ['by a hook 1', 'by a hook 2']) {
          decisions++
          yield await authorizeRecord(req, 'create', Leaf, { title }, { set: ['title'] })
        }
      }
      res.json(await repository.saveMany(drafts()))
    }
    const key = newKey()
    const ids = (await run(key)).json()
    expect((await run(key)).json()).toEqual(ids)
    expect(ids).toHaveLength(2)
    expect(decisions).toBe(4)
    expect(await leafTitles()).toEqual(['by a hook 1', 'by a hook 2'])
  })
})

describe('an insert with hooks', () => {
  const create = (key: string, title = 'Leaf') =>
    client.post('/api/leaves', { json: { title }, headers: { 'Idempotency-Key': key } })

  it('calls them once', async () => {
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(key)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await leafTitles()).toEqual(['Leaf', 'by a hook of Leaf'])
    expect(sent.toSorted()).toEqual(['Leaf', 'by a hook of Leaf'])
  })

  it('is repeated without them if afterCommit failed', async () => {
    isBroken = true
    const key = newKey()
    expect((await create(key)).status).toBe(500)
    isBroken = false
    const again = await create(key)
    expect([again.status, again.json()]).toEqual([201, expect.objectContaining({ title: 'Leaf' })])
    expect([await leafTitles(), sent]).toEqual([
      ['Leaf', 'by a hook of Leaf'],
      ['by a hook of Leaf', 'Leaf'],
    ])
  })

  it('does not count the inserts of its hooks among those of the handler', async () => {
    work = async (req, res) => {
      const insert = async () =>
        leaves.insert(await authorizeRecord(req, 'create', Leaf, { title: 'mailed' }, { set: ['title'] }))
      const leaf = req.get('X-Outer') ? await inTransaction(insert) : await insert()
      res.json([leaf.title, (await insertNote(req, 'After it')).title])
    }
    for (const headers of [{}, { 'X-Outer': 'yes' }]) {
      const key = newKey()
      for (let attempt = 1; attempt <= 2; attempt++) {
        const answer = await client.post('/chores', { headers: { ...headers, 'Idempotency-Key': key } })
        expect(answer.json()).toEqual(['mailed', 'After it'])
      }
    }
    expect(await noteTitles()).toEqual(['After it', 'After it', 'by afterCommit', 'by afterCommit'])
  })

  it('returns 404 for a record in the trash', async () => {
    const key = newKey()
    const { id } = (await create(key)).json() as Leaf
    await app.within(() => leaves.asSystem('test').delete(id))
    expect((await create(key)).status).toBe(404)
  })
})

describe('an insert that waits for an equal one', () => {
  it('goes ahead if the other is rolled back', async () => {
    let isFirst = true
    const [inserted, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    work = async (req, res) => {
      const fails = isFirst
      isFirst = false
      const stored = await inTransaction(async () => {
        const row = await insertNote(req, 'Stored')
        if (!fails) return row
        inserted.resolve()
        await held.promise
        throw new Error('Rolled back.')
      })
      res.json(stored.title)
    }
    const key = newKey()
    const first = run(key)
    await inserted.promise
    const second = run(key)
    await lockWait(app.db)
    held.resolve()
    expect([(await first).status, (await second).json()]).toEqual([500, 'Stored'])
    expect(await noteTitles()).toEqual(['Stored'])
  })

  it('stores one row if its rule is asynchronous, and so decides again in the transaction', async () => {
    const readers = policy(Note, {
      ...notePolicy.rules,
      canCreate: async (ctx) =>
        (await database().selectFrom('users').select('id').where('id', '=', ctx.userId).execute()).length ===
        1,
    })
    const asked = await testApp({ database: testDb, resources, policies: [[Note, readers]] })
    const other = await asked.newcomer()
    work = async (req, res) => void res.json(await insertNote(req, 'Asked'))
    const key = newKey()
    const answers = await Promise.all([run(key, other), run(key, other), run(key, other)])
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await noteTitles()).toEqual(['Asked'])
  })
})

describe('a guest', () => {
  it('gets a 400 for an Idempotency-Key, and stores a form with a token once', async () => {
    const everyone = () => true
    const open = await testApp({
      database: testDb,
      resources,
      policies: [[Note, policy(Note, { canCreate: everyone, canShow: everyone })]],
    })
    work = async (req, res) => {
      const { id } = await notes.insert(
        await authorizeRecord(req, 'create', Note, ...namedValues(note('By a guest'))),
      )
      res.json(id)
    }
    const refused = await open.guest.post('/chores/open', { headers: { 'Idempotency-Key': newKey() } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Sign in')])
    expect(await noteTitles()).toEqual([])
    for (const _token of ['one', 'one', 'other'])
      expect((await open.guest.post('/chores/open', { form: { _token } })).status).toBe(200)
    expect(await noteTitles()).toEqual(['By a guest', 'By a guest'])
  })

  it('gets no record of an earlier request from asSystem', async () => {
    work = async (_req, res) => {
      const { id } = await users.asSystem('test').insert({ name: 'New', email: `${newKey()}@example.test` })
      res.json(id)
    }
    const send = () => app.guest.post('/chores/open', { form: { _token: 'one' } })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).not.toBe(first.text)
  })
})

describe('the key of a request', () => {
  it('still applies after forgetPolicyContext, as to a handler that signs the caller out', async () => {
    work = async (req, res) => {
      await insertNote(req, 'Before')
      forgetPolicyContext(req)
      res.json((await notes.asSystem('test').insert(note('After'))).id)
    }
    const key = newKey()
    expect((await run(key)).text).toBe((await run(key)).text)
    expect(await noteTitles()).toEqual(['After', 'Before'])
  })

  it('applies to no write of bookkeeping', async () => {
    work = async (_req, res) => {
      res.json((await inOwnUnit(() => notes.asSystem('test').insert(note('Seen')))).id)
    }
    const key = newKey()
    expect((await run(key)).text).not.toBe((await run(key)).text)
    expect(await noteTitles()).toEqual(['Seen', 'Seen'])
  })
})

describe('deleteExpiredKeys', () => {
  it('deletes the keys that are older than 24 hours, in batches', async () => {
    await sql`delete from idempotency_keys`.execute(app.db)
    await sql`insert into idempotency_keys (key, content, created_at)
      select sha256(n::text::bytea), '', now() - n * interval '7 hours'
      from generate_series(0, 6002) as n`.execute(app.db)
    await app.within(async () => {
      expect(await countExpiredKeys()).toBe(5_999)
      expect([await deleteExpiredKeys(), await deleteExpiredKeys(), await deleteExpiredKeys()]).toEqual([
        5_000, 999, 0,
      ])
      expect(await countExpiredKeys()).toBe(0)
    })
    expect((await sql`select from idempotency_keys`.execute(app.db)).rows).toHaveLength(4)
  })
})

describe('a task', () => {
  it('inserts without keys', async () => {
    app.statements.length = 0
    await app.within(() => makeUser())
    expect(app.statements.some((sql) => sql.includes('idempotency_keys'))).toBe(false)
  })
})
