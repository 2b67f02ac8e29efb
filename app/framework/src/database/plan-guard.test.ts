import { sql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { planGuard } from './plan-guard.ts'
import { keysetMark } from './query-marks.ts'

const { url, db } = await testDatabase()
const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 1_000 })
// The database is dropped at the end of the file, which may break a connection of this pool.
pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
afterAll(() => pool.end())

const problems: string[] = []
const listOf = (table: string) =>
  db
    .selectFrom(table as never)
    .selectAll()
    .orderBy(sql`name desc, id desc`)
const cursorPageOf = (table: string) => listOf(table).modifyFront(keysetMark('name desc, id desc'))
beforeEach(() => problems.splice(0))

describe('planGuard', () => {
  const explain = planGuard(pool, (problem) => problems.push(problem))

  it('explains each cursor page once, and no other statement', async () => {
    await pool.query('create table plain (id bigint, name text)')
    await explain(listOf('plain').compile())
    expect(problems).toEqual([])
    await explain(cursorPageOf('plain').compile())
    await explain(cursorPageOf('plain').compile())
    expect(problems).toEqual([expect.stringContaining('create index on plain (name desc, id desc)')])
  })

  it('explains a page again if no connection was free, or if the table was not committed yet', async () => {
    const client = await pool.connect()
    await expect(explain(cursorPageOf('fresh').compile())).rejects.toThrow('timeout')
    client.release()
    await expect(explain(cursorPageOf('fresh').compile())).rejects.toThrow('does not exist')
    await pool.query('create table fresh (id bigint, name text)')
    await explain(cursorPageOf('fresh').compile())
    expect(problems).toEqual([expect.stringContaining('create index on fresh')])
  })

  it('accepts a filter with few rows, which Postgres would find and sort', async () => {
    await pool.query(`
      create table filed (id bigint, name text, folder integer);
      insert into filed select n, n, n from generate_series(1, 1000) n;
      create index on filed (name desc, id desc);
      create index on filed (folder);
      analyze filed`)
    await explain(
      cursorPageOf('filed')
        .where(sql<boolean>`folder = ${3}`)
        .compile(),
    )
    expect(problems).toEqual([])
  })

  it('returns its connection without a transaction or changed settings', async () => {
    const { rows } = await pool.query<{ on: string; open: boolean }>(
      `select current_setting('enable_sort') as on, pg_current_xact_id_if_assigned() is not null as open`,
    )
    expect(rows).toEqual([{ on: 'on', open: false }])
  })
})
