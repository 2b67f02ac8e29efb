import { Pool } from 'pg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { planGuard } from './plan-guard.ts'
import { keysetMark } from './statements.ts'

const { url } = await testDatabase()
const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 50 })
// The server may end what this pool is about to: its database goes away with the file.
pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
afterAll(() => pool.end())

const problems: string[] = []
const walkOf = (table: string) =>
  `select ${keysetMark('name desc, id desc')} * from ${table} order by name desc, id desc`
beforeEach(() => problems.splice(0))

describe('planGuard', () => {
  const look = planGuard(pool, (problem) => problems.push(problem))

  it('looks at each walk once, and at nothing else', async () => {
    await pool.query('create table plain (id bigint, name text)')
    await look('select * from plain order by name', [])
    expect(problems).toEqual([])
    await look(walkOf('plain'), [])
    await look(walkOf('plain'), [])
    expect(problems).toEqual([expect.stringContaining('create index on plain (name desc, id desc)')])
  })

  it('looks again where it could not: no connection was free, or nobody else sees the table yet', async () => {
    const taken = await pool.connect()
    await expect(look(walkOf('fresh'), [])).rejects.toThrow('timeout')
    taken.release()
    await expect(look(walkOf('fresh'), [])).rejects.toThrow('does not exist')
    await pool.query('create table fresh (id bigint, name text)')
    await look(walkOf('fresh'), [])
    expect(problems).toEqual([expect.stringContaining('create index on fresh')])
  })

  it('has nothing against a filter whose rows would be found and sorted sooner while they are few', async () => {
    await pool.query(`
      create table filed (id bigint, name text, folder integer);
      insert into filed select n, n, n from generate_series(1, 1000) n;
      create index on filed (name desc, id desc);
      create index on filed (folder);
      analyze filed`)
    await look(walkOf('filed where folder = $1'), [3])
    expect(problems).toEqual([])
  })

  it('gives its connection back as it was', async () => {
    const { rows } = await pool.query<{ on: string; open: boolean }>(
      `select current_setting('enable_sort') as on, pg_current_xact_id_if_assigned() is not null as open`,
    )
    expect(rows).toEqual([{ on: 'on', open: false }])
  })
})
