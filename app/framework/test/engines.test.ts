import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  authorize,
  database,
  type Handler,
  inTransaction,
  load,
  policy,
  publicRoute,
  record,
  routes,
  type Tables,
  withDatabase,
} from 'pergola'
import { engineProblems } from 'pergola/database'
import { job, missingQueues, prepareJobs } from 'pergola/jobs'
import { connectForTests } from 'pergola/lab'
import { lockWait, testDatabase } from 'pergola/testing'
import { type Capabilities, capabilitiesOf, overrideCapabilities } from '../src/database/capabilities.ts'
import { postgresWord } from '../lab/engines/postgres-words.ts'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'
import { testApp } from './fixtures/test-app.ts'

const testDb = await testDatabase()
const { db, url, statements } = testDb
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

/** Calls `work` with a new pool, and closes the pool. */
async function opened<Result>(work: (pool: Kysely<Tables>) => Promise<Result>): Promise<Result> {
  const pool = connectForTests(url, {
    poolSize: 2,
    connectTimeout: 5_000,
    statementTimeout: 10_000,
    lockTimeout: 5_000,
  })
  try {
    return await work(pool)
  } finally {
    await pool.destroy()
  }
}

/** Executes a statement, also in a database that is read-only by default. */
const execute = (statement: string) =>
  opened((pool) =>
    sql
      .raw(
        `set transaction_read_only to off; ${statement.replace('$database', new URL(url).pathname.slice(1))}`,
      )
      .execute(pool),
  )

/** Calls `work` while the sessions of the database have another default. */
async function withDefault<Result>(setting: string, work: () => Promise<Result>): Promise<Result> {
  await execute(`alter database $database set ${setting}`)
  try {
    return await work()
  } finally {
    await execute(`alter database $database reset ${setting.replace(/ .*/, '')}`)
  }
}

afterEach(() => overrideCapabilities({}))

describe('capabilitiesOf', () => {
  const ask = () =>
    opened(async (pool) => {
      await sql`select`.execute(pool)
      return capabilitiesOf(pool)
    })

  it('returns those of Postgres', async () => {
    expect(await ask()).toEqual({
      rowVersions: true,
      foreignTables: false,
      advisoryLocks: true,
      transactionalSchema: true,
      orderedIds: true,
      acceptsWrites: true,
      isolation: 'read committed',
    })
  })

  it.each<[setting: string, lacking: Partial<Capabilities>]>([
    ['default_transaction_isolation to serializable', { isolation: 'serializable' }],
    ['default_transaction_read_only to on', { acceptsWrites: false }],
  ])('reads the settings of the database: %s', async (setting, lacking) => {
    await withDefault(setting, async () => {
      expect(await ask()).toMatchObject(lacking)
      const inTransaction = await opened((pool) =>
        pool.transaction().execute((transaction) => Promise.resolve(capabilitiesOf(transaction))),
      )
      expect(inTransaction).toMatchObject(lacking)
    })
  })

  it.each<[statement: string, lacking: Partial<Capabilities>, undo: string]>([
    [
      'alter table notes alter id set cache 9',
      { orderedIds: false },
      'alter table notes alter id set cache 1',
    ],
    [
      'alter table notes alter id set start 9007199254740992',
      { orderedIds: false },
      'alter table notes alter id set start 1',
    ],
    [
      `create foreign data wrapper none; create server there foreign data wrapper none;
        create foreign table notes_there (id bigint) server there`,
      { rowVersions: false, foreignTables: true },
      'drop foreign data wrapper none cascade',
    ],
  ])('reads the catalogs: %s', async (statement, lacking, undo) => {
    await execute(statement)
    expect(await ask()).toMatchObject(lacking)
    await execute(undo)
    expect(await ask()).toMatchObject({ orderedIds: true, rowVersions: true })
  })
})

describe('engineProblems', () => {
  it('returns nothing for Postgres', () => {
    expect(engineProblems(resources, db)).toEqual([])
  })

  it('returns each missing capability with a remedy', () => {
    overrideCapabilities({
      rowVersions: false,
      advisoryLocks: false,
      transactionalSchema: false,
      orderedIds: false,
      acceptsWrites: false,
      isolation: 'serializable',
    })
    expect(engineProblems(resources, db).map(({ problem, remedy }) => `${problem} ${remedy}`)).toEqual([
      expect.stringMatching(/^The database is read-only.* Let its URL lead to the primary/),
      // Users have a version.
      expect.stringMatching(/^The database has no row versions .* whole row: Note\. Add a column `version/),
      expect.stringMatching(/^The database has no advisory locks.* Run the tasks with cron/),
      expect.stringMatching(/^The database does not roll back changes of the schema.* Keep migrations small/),
      expect.stringMatching(/^The database assigns ids.* Scaffold with --id uuid/),
      expect.stringMatching(/^The default isolation of the database is serializable.* For fewer collisions/),
    ])
  })

  it('also asks for the version on the servers of foreign tables', () => {
    overrideCapabilities({ rowVersions: false, foreignTables: true })
    const [found] = engineProblems(resources, db)
    expect(found?.problem).toMatch(/^The database has foreign tables, .* whole row: Note\.$/)
    expect(found?.remedy).toMatch(/^Add a column `version .* on the servers of the foreign tables, then here/)
  })

  const rule = () => true
  it.each<[what: string, options: object, names: RegExp[]]>([
    ['never changed', { policy: policy(Note, { canShow: rule, canCreate: rule }) }, []],
    ['only restored', { policy: policy(Note, { canRestore: rule }) }, [/: Note\.$/]],
    ['only updated by a verb', { policy: policy(Note, {}), updatedBy: ['publish'] }, [/: Note\.$/]],
    ['only deleted by a verb', { policy: policy(Note, {}), deletedBy: ['archive'] }, [/: Note\.$/]],
    ['changed without a policy', {}, [/: Note\.$/]],
  ])('names a resource without a version unless it is never changed: %s', (_what, options, names) => {
    overrideCapabilities({ rowVersions: false })
    const problems = engineProblems([{ repository: { ...notes, options } }], db)
    expect(problems.map(({ problem }) => problem)).toEqual(
      names.map((name) => expect.stringMatching(name) as unknown),
    )
  })
})

describe('a database without row versions and advisory locks', () => {
  beforeEach(() => {
    overrideCapabilities({ rowVersions: false, advisoryLocks: false })
    statements.length = 0
  })

  it('has no queues for jobs, which need advisory locks', async () => {
    await prepareJobs(db, [job('welcome', { run: () => Promise.resolve() })])
    const schemas = await sql`select where to_regnamespace('pgboss') is not null`.execute(db)
    expect(schemas.rows).toEqual([])
    expect(await missingQueues(db, [])).toEqual([])
  })

  it('serves a resource without a version', async () => {
    const app = await testApp({ database: testDb })
    const author = await app.newcomer()
    const created = await author.post('/api/notes', { json: { title: 'T', body: 'B', published: true } })
    const path = created.headers.get('location') ?? ''
    const { id } = created.json() as { id: number }
    const answers = [
      created,
      await author.get(path),
      await author.put(path, { json: { title: 'New' } }),
      await author.get('/api/notes'),
      await author.get('/api/notes?cursor='),
      await author.get('/notes?q=New'),
      await author.put(`/notes/${id}`, { form: { title: 'Newer', body: 'B' } }),
      await author.delete(path),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 303, 204])
    expect(answers.slice(0, 6).every(({ text }) => !text.includes('__version'))).toBe(true)
    expect(statements.flatMap((statement) => postgresWord(statement) ?? [])).toEqual([])
    expect(statements.some((statement) => statement.includes('md5('))).toBe(true)
  })

  it('asks the policy again if another request changed the row, and denies', async () => {
    const update: Handler = async (req, res) =>
      void res.json(await notes.update(record(req, Note, 'update'), { title: 'New' }, { set: ['title'] }))
    let calls = 0
    const rule = async (_ctx: unknown, note: Note) => {
      if (++calls === 1) await within(() => notes.asSystem('meanwhile').update(note.id, { body: 'Locked' }))
      return note.body !== 'Locked'
    }
    const writing = routes('/writing', {
      'GET /:id': [publicRoute(), load(Note), authorize('update', Note), update],
    })
    const app = await testApp({
      database: testDb,
      policies: [[Note, policy(Note, { canUpdate: rule })]],
      resources: resources.map((one) =>
        one.repository === notes ? { repository: notes, routes: { ...one.routes, writing } } : one,
      ),
    })
    const { id } = await app.within(() => makeNote({ title: 'Old' }))
    expect((await app.guest.get(`/writing/${id}`)).status).toBe(404)
    expect(calls).toBeGreaterThan(1)
    expect(await within(() => notes.asSystem('test').find(id))).toMatchObject({
      title: 'Old',
      body: 'Locked',
    })
  })
})

describe('a database that is serializable by default', () => {
  /** Returns the result of `work`, which waits for a transaction that changes the note. */
  const afterAnother = async <Result>(id: number, work: (pool: Kysely<Tables>) => Promise<Result>) =>
    withDefault('default_transaction_isolation to serializable', () =>
      opened(async (pool) => {
        const first = await pool.startTransaction().execute()
        await first.updateTable('notes').set({ body: 'First' }).where('id', '=', id).execute()
        const waiting = work(pool)
        await lockWait(db)
        await first.commit().execute()
        return waiting
      }),
    )

  it('repeats a statement that collided', async () => {
    const { id } = await within(() => makeNote())
    await afterAnother(id, (pool) =>
      withDatabase(pool, () => notes.asSystem('second').update(id, { title: 'Second' })),
    )
    expect(await within(() => notes.asSystem('test').find(id))).toMatchObject({
      title: 'Second',
      body: 'First',
    })
  })

  it('runs transactions at their own level, and repeats one that collided', async () => {
    const { id } = await within(() => makeNote())
    let runs = 0
    const change = (isolation?: 'serializable') => (pool: Kysely<Tables>) =>
      withDatabase(pool, () =>
        inTransaction(async () => {
          runs++
          await notes.asSystem('second').update(id, { title: 'Second' })
          const { rows } = await sql`select current_setting('transaction_isolation') as level`.execute(
            database(),
          )
          return rows[0]
        }, isolation && { isolation }),
      )
    expect(await afterAnother(id, change())).toEqual({ level: 'read committed' })
    expect(runs).toBe(1)
    expect(await afterAnother(id, change('serializable'))).toEqual({ level: 'serializable' })
    expect(runs).toBe(3)
    expect(await within(() => notes.asSystem('test').find(id))).toMatchObject({
      title: 'Second',
      body: 'First',
    })
  })
})

describe('postgresWord', () => {
  it.each([
    ['select xmin::text from posts', 'xmin'],
    ['delete from posts where "ctid" = any($1)', 'ctid'],
    ['select pg_try_advisory_lock(1)', 'pg_try_advisory_lock'],
    ['select from posts tablesample system (1)', 'tablesample'],
    ['SELECT FROM PG_LOCKS', 'PG_LOCKS'],
    ["select from pg_attribute where attname <> 'xmin'", null],
    ['select maxmin, ctids from posts', null],
  ])('finds what other engines lack: %s', (statement, word) => {
    expect(postgresWord(statement)).toBe(word)
  })
})
