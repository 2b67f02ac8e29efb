import { type Kysely, sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { database, inTransaction, type Tables, withDatabase } from 'pergola'
import { connectForTests, isPooled } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { databaseFailure } from '../src/database/database-failure.ts'
import { pooler } from './fixtures/pooler.ts'
import { isPlain } from './fixtures/plain.ts'

const { db: admin, url } = await testDatabase()

/** A connection pooler hides the sessions of Postgres. */
const pooled = await isPooled(url)
const name = new URL(url).pathname.slice(1)

const cleanUps: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp()
})

type Options = Parameters<typeof connectForTests>[1]

function open(options?: Options): { db: Kysely<Tables>; warnings: string[] } {
  const warnings: string[] = []
  const db = connectForTests(url, {
    poolSize: 3,
    connectTimeout: 5_000,
    statementTimeout: 4_000,
    lockTimeout: 3_000,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  })
  cleanUps.push(() => db.destroy())
  return { db, warnings }
}

async function openThrough(options: Omit<Parameters<typeof pooler>[0], 'target'>, more: Options = {}) {
  const proxy = await pooler({ target: () => url, ...options })
  cleanUps.push(proxy.close)
  return open({ url: proxy.url, ...more })
}

const show = async (db: Kysely<Tables>, setting: string) =>
  (await sql<{ value: string }>`select current_setting(${setting}) as value`.execute(db)).rows[0]?.value

const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

async function create(db: Kysely<Tables>, statement: string) {
  await sql.raw(statement).execute(db)
}

describe('the sessions of a direct connection', () => {
  it.skipIf(pooled || isPlain)('have the limits, and named statements after three uses', async () => {
    const { db, warnings } = open({ poolSize: 1 })
    expect(await show(db, 'statement_timeout')).toBe('4s')
    expect(await show(db, 'lock_timeout')).toBe('3s')
    await show(db, 'statement_timeout')
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
      db,
    )
    expect(rows).toEqual([{ statement: 'select current_setting($1) as value' }])
    expect(warnings).toEqual([])
  })

  it.skipIf(pooled)('have no named statements for long texts', async () => {
    const { db } = open({ poolSize: 1 })
    const ones = sql.raw(Array.from({ length: 5_000 }, () => '1').join(', '))
    for (let count = 0; count < 4; count++) await sql`select ${count} in (${ones})`.execute(db)
    expect((await sql`select from pg_prepared_statements`.execute(db)).rows).toEqual([])
  })

  it.skipIf(pooled || isPlain)(
    'have 250 named statements at most: one that is used often takes the name of another',
    async () => {
      const { db } = open({ poolSize: 1 })
      const prepared = async () =>
        (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)).rows.map(
          ({ statement }) => statement,
        )
      const rare = (n: number) => sql`select ${n}::int as ${sql.id(`rare_${n}`)}`.execute(db)
      for (let n = 0; n < 250; n++) for (let use = 0; use < 3; use++) await rare(n)
      const before = await prepared()
      expect(before).toHaveLength(250)

      const frequent = (value: string) => sql`select ${value}::text as frequent, 1 as one`.execute(db)
      for (let use = 0; use < 1_000; use++) await frequent('x')
      const after = await prepared()
      expect(after).toHaveLength(250)
      expect(after).toContain('select $1::text as frequent, 1 as one')
      // The columns are those of the statement that has the name now.
      expect((await frequent('y')).rows).toEqual([{ frequent: 'y', one: 1 }])
      const lost = before.findIndex((statement) => !after.includes(statement))
      expect((await rare(lost)).rows).toEqual([{ [`rare_${lost}`]: lost }])
    },
  )

  it('have no named statements with prepared: off', async () => {
    const { db } = open({ poolSize: 1, prepared: 'off' })
    for (let uses = 0; uses < 5; uses++) await show(db, 'lock_timeout')
    expect((await sql`select from pg_prepared_statements`.execute(db)).rows).toEqual([])
  })

  it.skipIf(pooled)('ignore a time zone in the options of the URL', async () => {
    const address = new URL(url)
    address.searchParams.set('options', '-c TimeZone=Asia/Tokyo')
    expect(await show(open({ url: address.href }).db, 'TimeZone')).toBe('UTC')
  })

  it('return the same bytes with every time zone, date style and number of digits of the server', async () => {
    const values = sql`select '2026-11-21 23:21:21.716872+00'::timestamptz as at, date '2026-11-22' as day,
      0.1::float8 + 0.2::float8 as sum`
    const plain = await values.execute(open().db)
    for (const setting of [`TimeZone = 'Europe/Berlin'`, `DateStyle = 'German'`, `extra_float_digits = 1`])
      await create(admin, `alter database ${name} set ${setting}`)
    try {
      expect((await values.execute(open().db)).rows).toEqual(plain.rows)
      expect((await values.execute((await openThrough({ refused: LIMITS })).db)).rows).toEqual(plain.rows)
    } finally {
      await create(admin, `alter database ${name} reset all`)
    }
  })
})

describe.skipIf(pooled)('a connection pooler', () => {
  it('that leaves other limits to the role gets those of the process in each transaction', async () => {
    const role = new URL(url).username
    await create(admin, `alter role "${role}" in database ${name} set statement_timeout = '1s'`)
    try {
      const { db, warnings } = await openThrough({ dropped: LIMITS })
      expect(await show(db, 'statement_timeout')).toBe('1s')
      expect(warnings).toEqual([
        expect.stringMatching(/have statement_timeout = 1000ms, .*set statement_timeout = '4000ms';/),
      ])
      expect(await db.transaction().execute((inside) => show(inside, 'statement_timeout'))).toBe('4s')
    } finally {
      await create(admin, `alter role "${role}" in database ${name} reset all`)
    }
  })

  it.each([
    ['refuses', { refused: LIMITS }],
    ['drops', { dropped: LIMITS }],
  ])(
    'that %s the limits gets them with each transaction, and a warning with the remedy',
    async (_how, options) => {
      const { db, warnings } = await openThrough(options)
      expect(await show(db, 'statement_timeout')).toBe('0')
      const limits = await db
        .transaction()
        .execute(async (transaction) => Promise.all(LIMITS.map((limit) => show(transaction, limit))))
      expect(limits).toEqual(['4s', '3s', '10s'])
      const role = new URL(url).username
      expect(warnings).toEqual([
        expect.stringContaining(
          `alter role "${role}" set statement_timeout = '4000ms'; alter role "${role}" set lock_timeout = '3000ms';`,
        ),
      ])
    },
  )

  it('gets no named statements', async () => {
    const { db } = await openThrough({}, { poolSize: 1 })
    for (let uses = 0; uses < 5; uses++) await show(db, 'lock_timeout')
    expect((await sql`select from pg_prepared_statements`.execute(db)).rows).toEqual([])
  })

  it('that drops the time zone gets no query, and the error has the remedy', async () => {
    await create(admin, `alter database ${name} set TimeZone = 'Europe/Berlin'`)
    try {
      const { db } = await openThrough({ dropped: ['TimeZone'] })
      const error = await sql`select 1`.execute(db).catch((thrown: unknown) => thrown)
      expect(String(error)).toMatch(/have TimeZone = Europe\/Berlin.*alter role ".*" set TimeZone = 'UTC';/)
    } finally {
      await create(admin, `alter database ${name} reset all`)
    }
  })
})

describe('a server without connections to spare', () => {
  it('fails no statement while the process has a connection', async () => {
    const role = `few_${name}`
    await create(admin, `create role ${role} login connection limit 2 password 'few'`)
    cleanUps.push(() => create(admin, `drop role ${role}`))
    const address = new URL(url)
    address.username = role
    address.password = 'few'
    const { db } = open({ url: address.href, poolSize: 10 })
    const statements = Array.from({ length: 60 }, () => sql`select pg_sleep(0.01)`.execute(db))
    expect((await Promise.allSettled(statements)).filter(({ status }) => status === 'rejected')).toEqual([])
    await db.destroy()
  })
})

describe('a server whose Unix socket is missing', () => {
  it('is not reachable now, which is a 503', async () => {
    const { db } = open({ url: 'postgres://someone@localhost/somewhere?host=/nonexistent' })
    const error = await sql`select 1`.execute(db).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ENOENT' })
    expect(databaseFailure(error)).toMatchObject({ status: 503 })
  })
})

describe('a database that became read-only', () => {
  it.skipIf(pooled)('is a 503, and later statements open new connections', async () => {
    const other = await testDatabase()
    for (const db of [admin, other.db]) await create(db, 'create table ledger (entry int)')
    await create(admin, `alter database ${name} set default_transaction_read_only = on`)
    let target = url
    const proxy = await pooler({ target: () => target })
    cleanUps.push(proxy.close)
    const { db } = open({ url: proxy.url })
    const write = () => sql`insert into ledger values (1)`.execute(db)
    try {
      // Every connection of the pool is to the read-only database.
      await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`.execute(db)))
      const error = await write().catch((thrown: unknown) => thrown)
      expect(databaseFailure(error)).toMatchObject({ status: 503 })
      target = other.url
      for (let count = 0; count < 3; count++) await write()
      expect((await sql`select from ledger`.execute(other.db)).rows).toHaveLength(3)
    } finally {
      await create(admin, `set default_transaction_read_only = off; alter database ${name} reset all`)
    }
  })
})

describe('a database that remains read-only', () => {
  it.skipIf(pooled)('does not lose the new connections to further writes', async () => {
    const other = await testDatabase()
    await create(other.db, 'create table ledger (entry int)')
    const readOnly = new URL(other.url).pathname.slice(1)
    await create(other.db, `alter database ${readOnly} set default_transaction_read_only = on`)
    const { db } = open({ url: other.url })
    const write = () => expect(sql`insert into ledger values (1)`.execute(db)).rejects.toThrow('read-only')
    const pids = async () => {
      const reads = [1, 2, 3].map(() =>
        sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`.execute(db),
      )
      return (await Promise.all(reads)).map(({ rows }) => rows[0]?.pid)
    }
    await write()
    const before = await pids()
    await write()
    expect((await pids()).filter((pid) => before.includes(pid))).toHaveLength(2)
  })
})

describe('a statement that collides', () => {
  const failing = (state: string, times: number) =>
    create(
      admin,
      `create sequence if not exists tries; alter sequence tries restart; create or replace function collide() returns int
       language plpgsql as $$ begin
         if nextval('tries') <= ${times} then raise exception 'collided' using errcode = '${state}'; end if;
         return currval('tries'); end $$`,
    )
  const collide = (db: Kysely<Tables>) => sql<{ tries: number }>`select collide() as tries`.execute(db)

  it.each(['40001', '40P01'])('runs again outside of a transaction after %s', async (state) => {
    await failing(state, 3)
    expect((await collide(admin)).rows).toEqual([{ tries: 4 }])
  })

  it('fails after three more attempts', async () => {
    await failing('40001', 4)
    await expect(collide(admin)).rejects.toThrow('collided')
  })

  it('is not repeated after another error', async () => {
    await failing('P0001', 1)
    await expect(collide(admin)).rejects.toThrow('collided')
  })

  it('is not repeated alone within a transaction', async () => {
    await failing('40001', 1)
    await expect(admin.transaction().execute((transaction) => collide(transaction))).rejects.toThrow(
      'collided',
    )
  })
})

describe('a named statement whose columns changed their type', () => {
  it('is planned again, alone and in a transaction', async () => {
    await create(admin, 'create table gauges (id int, value int); insert into gauges values (1, 7)')
    const { db } = open({ poolSize: 1 })
    const read = async (from: Kysely<Tables>) =>
      (await sql<{ value: unknown }>`select value from gauges where id = ${1}`.execute(from)).rows[0]?.value
    for (let uses = 0; uses < 3; uses++) expect(await read(db)).toBe(7)
    await create(admin, 'alter table gauges alter value type text')
    expect(await read(db)).toBe('7')
    for (let uses = 0; uses < 3; uses++) await read(db)
    await create(admin, 'alter table gauges alter value type int using value::int')
    const inside = await withDatabase(db, () => inTransaction(() => read(database())))
    expect(inside).toBe(7)
  })

  it('costs a transaction with many such statements one retry', async () => {
    await create(admin, 'create table dials (id int, value int); insert into dials values (1, 7)')
    const { db } = open({ poolSize: 1 })
    const readAll = async () => {
      const values: unknown[] = []
      for (let count = 0; count < 6; count++) {
        const query = sql<{ value: unknown }>`select value, ${sql.lit(count)} from dials where id = ${1}`
        values.push((await query.execute(database())).rows[0]?.value)
      }
      return values
    }
    for (let uses = 0; uses < 3; uses++) await withDatabase(db, readAll)
    await create(admin, 'alter table dials alter value type text')
    expect(await withDatabase(db, () => inTransaction(readAll))).toEqual(['7', '7', '7', '7', '7', '7'])
  })
})
