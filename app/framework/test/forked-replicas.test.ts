import { type Kysely, sql } from 'kysely'
import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Tables, withDatabase } from 'pergola'
import { replicaStates } from 'pergola/scale'
import { connectForTests, type OwnPostgres, ownPostgres } from 'pergola/lab'
import { notes } from './fixtures/note.ts'
import { createTables } from './fixtures/tables.ts'
import { readReplicas } from '../src/scale/read-replicas.ts'

const primary = await ownPostgres()
await createTables(primary.url('postgres'))
const ahead = await primary.replica()
const behind = await primary.replica()

const insert = (count: number) =>
  `insert into notes (title, body, author_id) select 'lost', 'A body', id from users, generate_series(1, ${count})`

async function on(server: OwnPostgres, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: server.url('postgres') })
  await client.connect()
  const { rows } = await client.query<Record<string, unknown>>(statement)
  await client.end()
  return rows
}

const total = async (server: OwnPostgres) =>
  (await on(server, 'select count(*)::int as total from notes'))[0]?.['total']

/** Promotes the server that lacks the last records of the other. */
async function failOver(): Promise<void> {
  await on(primary, `insert into users (name, email) values ('Ann', 'ann@example.test')`)
  await vi.waitFor(async () => expect(await on(behind, 'select from users')).toHaveLength(1))
  await behind.kill()
  await on(primary, insert(2_000))
  await vi.waitFor(async () => expect(await total(ahead)).toBe(2_000), 10_000)
  await primary.kill()
  await behind.start()
  await behind.promote()
}

const exported = (db: Kysely<Tables>) => withDatabase(db, () => notes.asSystem('test').onReplica().count())

it('does not read a replica with records that the promoted primary lacks', async () => {
  await failOver()
  const db = connectForTests(behind.url('postgres'), {
    replicas: readReplicas({ urls: [ahead.url('postgres')], maxLag: 60_000, timeout: 1_000 }),
  })
  onTestFinished(() => db.destroy())
  const problem = expect.stringContaining('It has replayed more than the primary had written') as unknown
  expect(await replicaStates(db)).toMatchObject([{ problem }])
  expect(await exported(db)).toBe(0)
  // The log of the primary becomes longer than that of the replica, which still lacks these records.
  await sql.raw(insert(5_000)).execute(db)
  for (const restart of [() => Promise.resolve(), () => ahead.stopImmediately().then(ahead.start)]) {
    await restart()
    await vi.waitFor(async () => expect(await replicaStates(db)).toMatchObject([{ problem }]), 10_000)
    expect(await exported(db)).toBe(5_000)
  }
}, 60_000)
