import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction, policy, type Tables } from 'pergola'
import type { Replacements } from 'pergola/app'
import { connectForTests } from 'pergola/lab'
import { type Answer, clearRateLimits, lockWait, type TestClient, type TestDatabase } from 'pergola/testing'
import { debianPostgres, type DebianPostgres } from './debian-postgres.ts'
import { createPartitions, createTables, invoices, Receipt, receipts } from './invoice.ts'
import { migrate, resources, type Newcomer, testApp } from '../application.ts'

// One DATABASE_URL leads to a coordinator, whose partitions are on two more servers. It stands in for distributed engines.

const [plain, coordinator, ...servers] = await Promise.all([1, 2, 3, 4].map(() => debianPostgres()))
if (plain === undefined || coordinator === undefined) throw new Error('No server started.')

function open({ url }: DebianPostgres): TestDatabase {
  const statements: string[] = []
  const db = connectForTests(url, {
    connectTimeout: 5_000,
    statementTimeout: 10_000,
    lockTimeout: 5_000,
    onStatement: (text) => statements.push(text),
  })
  afterAll(() => db.destroy())
  return { db, url, statements }
}

const one = open(plain)
const parts = servers.map((server) => ({ ...open(server), server }))
const owner = open(coordinator)
await Promise.all([one, owner].map(({ db }) => migrate(db)))
await createTables(one.db)
await createPartitions(owner.db, parts)
// Opened after the partitions exist, as the pool of a server is: its first session looks for foreign tables.
const many = open(coordinator)

const serve = (database: TestDatabase, policies: Replacements['policies'] = []) =>
  testApp({
    database,
    policies,
    resources: [...resources, { repository: invoices }, { repository: receipts }],
    env: { SECURITY__WRITES_PER_MINUTE: '1000000' },
  })
const [single, app] = [await serve(one), await serve(many)]

const count = async ({ db }: { db: Kysely<Tables> }) =>
  Number((await sql<{ n: string }>`select count(*) as n from test_invoices`.execute(db)).rows[0]?.n)

const create = async (client: TestClient, values: object = {}) => {
  const answer = await client.post('/api/test-invoices', { json: { title: 'T', ...values } })
  expect(answer.status).toBe(201)
  return { path: answer.headers.get('location') ?? '', ...(answer.json() as { id: number; version: number }) }
}
const titles = ({ json }: Answer) =>
  (json() as { content: { title: string }[] }).content.map(({ title }) => title)
const match = (version: number) => ({ headers: { 'if-match': `"${version}"` } })

/** Two users whose invoices are on different servers. */
let first: Newcomer
let second: Newcomer

beforeAll(async () => {
  const onFirst = async ({ user }: Newcomer) => {
    await app.within(() => invoices.asSystem('test').insert({ title: 'Place', account_id: user.id }))
    const { rows } = await sql`select from test_invoices where account_id = ${user.id}`.execute(
      parts[0]?.db as never,
    )
    return rows.length === 1
  }
  for (let found: [Newcomer?, Newcomer?] = []; found[0] === undefined || found[1] === undefined;) {
    const user = await app.newcomer()
    found[(await onFirst(user)) ? 0 : 1] = user
    ;[first, second] = found as [Newcomer, Newcomer]
  }
})

describe('a resource whose partitions are on two servers', () => {
  it('is created, shown, changed and deleted through its API', async () => {
    const { path, id, version } = await create(first, { title: 'Old' })
    expect(version).toBe(1)
    const changed = await first.put(path, { json: { title: 'New' }, ...match(1) })
    expect([changed.status, changed.json()]).toMatchObject([200, { id, title: 'New', version: 2 }])
    expect((await first.put(path, { json: { title: 'Stale' }, ...match(1) })).status).toBe(412)
    expect((await second.get(path)).status).toBe(404)
    expect((await first.delete(path, match(2))).status).toBe(204)
    expect((await first.get(path)).status).toBe(404)
  })

  it('stores the rows of each account on its server', async () => {
    const before = await Promise.all(parts.map(count))
    await create(first)
    await create(second)
    await create(second)
    const after = await Promise.all(parts.map(count))
    expect(after.map((rows, at) => rows - (before[at] ?? 0))).toEqual([1, 2])
  })

  it('has ids from one sequence', async () => {
    const created = [await create(first), await create(second), await create(first)]
    const ids = created.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  it('lists, counts, sorts, searches and pages the rows of one account and of all', async () => {
    const reader = await app.newcomer()
    const admin = await app.newcomer({ roles: ['admin'] })
    for (const title of ['Three', 'One', 'Two', 'Four']) await create(reader, { title })
    const page = await reader.get('/api/test-invoices?size=2&sort=title')
    expect(page.json()).toMatchObject({ total_elements: 4, content: [{ title: 'Four' }, { title: 'One' }] })
    expect(titles(await reader.get('/api/test-invoices?q=wo'))).toEqual(['Two'])
    const cursor = await reader.get('/api/test-invoices?cursor=&size=3')
    expect(titles(cursor)).toEqual(['Four', 'Two', 'One'])
    const { next_cursor: next } = cursor.json() as { next_cursor: string }
    expect(titles(await reader.get(`/api/test-invoices?cursor=${next}&size=3`))).toEqual(['Three'])
    const all = await admin.get('/api/test-invoices?size=100')
    expect(all.json()).toMatchObject({
      total_elements: (await Promise.all(parts.map(count))).reduce((a, b) => a + b),
    })
  })

  it('is walked in batches, and written back', async () => {
    const system = invoices.asSystem('test')
    const total = await app.within(async () => {
      let seen = 0
      for await (const batch of system.findInBatches(3)) {
        seen += batch.length
        await system.upsertMany(
          batch.map((row) => ({ ...row, amount: row.amount + 1 })),
          { columns: ['amount'] },
        )
      }
      return seen
    })
    expect(total).toBe(await count(many))
    const { rows } = await sql`select from test_invoices where amount < 1`.execute(many.db)
    expect(rows).toEqual([])
  })

  it('accepts one of two concurrent changes', async () => {
    const { path } = await create(first)
    const answers = await Promise.all(
      ['A', 'B'].map((title) => first.put(path, { json: { title }, ...match(1) })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]))
    expect((await first.get(path)).json()).toMatchObject({ version: 2 })
  })

  it('repeats a change that another server refused with 40001, because the row was locked', async () => {
    const { id } = await create(first)
    const [part] = parts
    const locked = await part?.db.startTransaction().execute()
    await locked?.updateTable('test_invoices').set({ amount: 7 }).where('id', '=', id).execute()
    const waiting = app.within(() => invoices.asSystem('test').update(id, { title: 'Second' }))
    await lockWait(part?.db as never)
    await locked?.commit().execute()
    await waiting
    expect(await app.within(() => invoices.asSystem('test').find(id))).toMatchObject({
      title: 'Second',
      amount: 7,
    })
  })

  it('rolls a transaction back on both servers', async () => {
    const before = await Promise.all(parts.map(count))
    const write = app.within(() =>
      inTransaction(async () => {
        for (const { user } of [first, second])
          await invoices.asSystem('test').insert({ title: 'Both', account_id: user.id })
        throw new Error('No.')
      }),
    )
    await expect(write).rejects.toThrow('No.')
    expect(await Promise.all(parts.map(count))).toEqual(before)
  })
})

describe('a resource without a version on such partitions', () => {
  it('loses no concurrent change, because its rows are compared by a hash', async () => {
    const { id } = await app.within(() =>
      receipts.asSystem('test').insert({ title: 'Old', account_id: first.user.id }),
    )
    let calls = 0
    const canUpdate = async (_ctx: unknown, { amount }: { amount: number }) => {
      if (++calls === 1) await app.within(() => receipts.asSystem('meanwhile').update(id, { amount: 9 }))
      return amount !== 9
    }
    const racing = await serve(many, [[Receipt, policy(Receipt, { canUpdate })]])
    const writer = await racing.signInAs(first.user.email)
    expect((await writer.put(`/api/test-receipts/${id}`, { json: { title: 'Stolen' } })).status).toBe(404)
    expect(await app.within(() => receipts.asSystem('test').find(id))).toMatchObject({
      title: 'Old',
      amount: 9,
    })
  })

  it('would lose it with xmin, which is 0 in every row', async () => {
    const { rows } = await sql`select distinct xmin::text as xmin from test_receipts`.execute(many.db)
    expect(rows).toEqual([{ xmin: '0' }])
  })
})

describe('what does not hold on such partitions', () => {
  it('has no unique id across servers: the table can have no primary key', async () => {
    await expect(
      sql`alter table test_invoices add primary key (account_id, id)`.execute(many.db),
    ).rejects.toThrow(/cannot create unique index on partitioned table/)
  })

  it('has no foreign key to the users', async () => {
    await expect(
      sql`alter table test_invoices add foreign key (account_id) references users`.execute(many.db),
    ).rejects.toThrow(/foreign/)
  })

  it('reads all servers to find a record by its id alone', async () => {
    const { rows } = await sql<{
      'QUERY PLAN': string
    }>`explain select * from test_invoices where id = 1`.execute(many.db)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan.match(/Foreign Scan/g)).toHaveLength(2)
  })

  it('filters the rows behind a cursor on the coordinator', async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain (verbose) select * from test_invoices
      where account_id = ${first.user.id} and (created_at, id) < (now(), 5) order by created_at desc, id desc limit 3`.execute(
      many.db,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/^\s*Filter: \(ROW/m)
  })
})

describe('while one of the servers is down', () => {
  it('serves the accounts of the other, with a 503 for its own', async () => {
    await create(first)
    await servers[0]?.kill()
    const down = await Promise.all([
      first.get('/api/test-invoices'),
      first.post('/api/test-invoices', { json: { title: 'Lost?' } }),
    ])
    expect(down.map(({ status }) => status)).toEqual([503, 503])
    const up = [
      await second.get('/api/test-invoices'),
      await second.post('/api/test-invoices', { json: { title: 'Kept' } }),
    ]
    expect(up.map(({ status }) => status)).toEqual([200, 201])
    // Found by its id alone, a record needs all servers.
    expect((await second.get(up[1]?.headers.get('location') ?? '')).status).toBe(503)
    await servers[0]?.start()
    await expect.poll(async () => (await first.get('/api/test-invoices')).status).toBe(200)
  })
})

describe('the cost', () => {
  const ROUNDS = 100
  const ROWS = 2_000

  it('of each operation, beside the same resource on one server', { timeout: 600_000 }, async () => {
    const subjects = await Promise.all(
      [
        { app: single, db: one.db },
        { app, db: many.db },
      ].map(async ({ app, db }) => {
        const [client, admin] = [await app.newcomer(), await app.newcomer({ roles: ['admin'] })]
        await sql`insert into test_invoices (account_id, title) select ${client.user.id}, 'Invoice ' || n
          from generate_series(1, ${sql.lit(ROWS)}) as n`.execute(db)
        await clearRateLimits(db)
        return { app, client, admin }
      }),
    )
    for (const part of [one, ...parts]) await sql`analyze test_invoices`.execute(part.db)
    type Subject = (typeof subjects)[number]
    const created = new Map<Subject, { path: string; version: number }[]>()
    const operations: Record<string, (subject: Subject, round: number) => Promise<unknown>> = {
      create: async (subject, round) => {
        const one = await create(subject.client, { title: `New ${round}` })
        created.set(subject, [...(created.get(subject) ?? []), one])
      },
      'show by id': (subject, round) => subject.client.get(created.get(subject)?.[round]?.path ?? ''),
      'list with an exact count': ({ client }) => client.get('/api/test-invoices'),
      'list of all accounts': ({ admin }) => admin.get('/api/test-invoices'),
      'first cursor page': ({ client }) => client.get('/api/test-invoices?cursor='),
      search: ({ client }) => client.get('/api/test-invoices?q=77'),
      update: (subject, round) =>
        subject.client.put(created.get(subject)?.[round]?.path ?? '', {
          json: { amount: round + 1 },
          ...match(1),
        }),
      delete: (subject, round) => subject.client.delete(created.get(subject)?.[round]?.path ?? '', match(2)),
    }
    const lines: string[] = []
    for (const [name, operation] of Object.entries(operations)) {
      const milliseconds = subjects.map(() => 0)
      // In turn, so that other load on the machine affects both.
      for (let round = 0; round < ROUNDS; round++)
        for (const [at, subject] of subjects.entries()) {
          const start = performance.now()
          const answer = (await operation(subject, round)) as Answer | undefined
          milliseconds[at] = (milliseconds[at] ?? 0) + performance.now() - start
          expect(answer?.status ?? 201).toBeLessThan(300)
        }
      const [single = 0, spread = 0] = milliseconds.map((sum) => sum / ROUNDS)
      lines.push(
        `| ${name} | ${single.toFixed(1)} | ${spread.toFixed(1)} | ${(spread / single).toFixed(1)} × |`,
      )
    }
    process.stdout.write(
      `\n| Request | One server, ms | Two behind a coordinator, ms | Ratio |\n| --- | ---: | ---: | ---: |\n${lines.join('\n')}\n\n`,
    )
  })
})
