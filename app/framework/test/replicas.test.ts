import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Request } from 'express'
import { type Generated, sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import {
  contextOf,
  CursorRequest,
  database,
  inTransaction,
  labelsOf,
  PageRequest,
  policy,
  repository,
  resource,
  scope,
  scoped,
  withDatabase,
} from 'pergola'
import { registryOfResources } from 'pergola/app'
import { replicaStates } from 'pergola/scale'
import { connectForTests, ownPostgres } from 'pergola/lab'
import { databaseContext } from '../src/database/executor.ts'
import { LAST_POSITION, readPosition } from '../src/scale/log-position.ts'
import { originOf } from '../src/rows/rows.ts'
import type { Replica } from '../src/scale/replica.ts'
import { readReplicas, watchedReplicas } from '../src/scale/read-replicas.ts'

interface SignalTable {
  id: Generated<number>
  name: string
}

declare module 'pergola' {
  interface Tables {
    signals: SignalTable
    beacons: SignalTable
    flares: SignalTable
  }
}

const Signal = resource('Signal', {
  table: 'signals',
  label: 'name',
  input: z.strictObject({ name: z.string() }),
  search: ['name'],
})
const signalPolicy = policy(Signal, { canShow: () => true, canUpdate: () => true })
const signalScope = scope(Signal, { where: (_ctx, is) => is.lit(true) })
const signals = repository(Signal, {
  policy: signalPolicy,
  scope: signalScope,
  order: '-name',
})

const Beacon = resource('Beacon', {
  table: 'beacons',
  label: 'name',
  input: z.strictObject({ name: z.string() }),
})
const beacons = repository(Beacon, { scope: scope(Beacon, { where: (_ctx, is) => is.lit(true) }) })

const Flare = resource('Flare', {
  table: 'flares',
  label: 'name',
  input: z.strictObject({ name: z.string() }),
})
const flares = repository(Flare, {
  scope: scope(Flare, { where: (_ctx, is) => is.lit(true) }),
  primaryReads: true,
})

const primary = await ownPostgres()
const replica = await primary.replica()
const stranger = await ownPostgres()
const foreign = await stranger.replica()
const web = createServer().listen(0, '127.0.0.1')
afterAll(() => web.close())
const replicaOptions = { urls: [replica.url('postgres')], maxLag: 60_000, timeout: 1_000 }
const url = primary.url('postgres')
const db = connectForTests(url, { replicas: readReplicas(replicaOptions) })
afterAll(() => db.destroy())

const ctx = contextOf(null, {
  registry: registryOfResources([{ repository: signals }, { repository: beacons }, { repository: flares }]),
})

const request = { headers: { 'user-agent': 'test' }, socket: {} } as Request

/** Calls `work` as a request does. Returns its result, and the server that its lists read. */
function asRequest<Result>(work: () => Promise<Result>): Promise<{ result: Result; from: string }> {
  return withDatabase(
    db,
    async () => {
      const result = await work()
      return { result, from: databaseContext().unit.replica == null ? 'primary' : 'replica' }
    },
    { request },
  )
}

const list = () => signals.visibleTo(ctx).findAll()

beforeAll(async () => {
  await sql`create table signals (id bigint generated always as identity primary key, name text not null)`.execute(
    db,
  )
  await sql`create table flares (id bigint generated always as identity primary key, name text not null)`.execute(
    db,
  )
  await sql`insert into signals (name) select 'signal ' || n from generate_series(1, 50) n`.execute(db)
  await vi.waitUntil(async () => {
    const { from, result } = await asRequest(list)
    return from === 'replica' && result.length === 50
  }, 10_000)
})

describe('lists of a request', () => {
  it.each([
    ['findAll', list],
    ['page', () => signals.visibleTo(ctx).page(new PageRequest(2, 10))],
    [
      'a search',
      () =>
        signals
          .visibleTo(ctx)
          .page(new PageRequest(1, 10), { query: { sort: null, dir: 'asc', q: 'signal 4', filters: {} } }),
    ],
    ['count', () => signals.visibleTo(ctx).count()],
    ['a consistent page', () => signals.visibleTo(ctx).page(new PageRequest(1, 10), { consistent: true })],
    ['cursorPage', () => signals.visibleTo(ctx).cursorPage(new CursorRequest(null, 10))],
    ['scoped', () => scoped(Signal, ctx).select('name').orderBy('id').execute()],
    ['labels', () => labelsOf(ctx, Signal, [1, 2, 3])],
    ['findInBatches', () => Array.fromAsync(signals.visibleTo(ctx).findInBatches(20))],
  ])('are read from the replica: %s', async (_name, read) => {
    const { from, result } = await asRequest<unknown>(read)
    expect(from).toBe('replica')
    const onPrimary = await withDatabase(db, read as () => Promise<unknown>)
    expect(result).toEqual(onPrimary)
  })
})

/** Returns the replica's watched state after it has replayed everything. */
async function caughtUp(): Promise<void> {
  const { rows } = await sql<{ now: string }>`select pg_current_wal_insert_lsn()::text as now`.execute(db)
  const position = readPosition(rows[0]?.now ?? '') ?? 0n
  await vi.waitFor(
    () => expect(watchedReplicas(db)?.all[0]?.replayed ?? 0n).toBeGreaterThanOrEqual(position - 64n),
    10_000,
  )
}

describe('these are read from the primary', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['records', () => signals.asSystem('test').find(1)],
    ['lists with onPrimary', () => signals.visibleTo(ctx).onPrimary().findAll()],
    ['lists of asSystem', () => signals.asSystem('test').findAll()],
    ['statements of the application', () => database().selectFrom('signals').selectAll().execute()],
    ['lists in a transaction', () => inTransaction(list)],
    ['lists of a repository with primaryReads', () => flares.visibleTo(ctx).findAll()],
    ['scoped of a resource with primaryReads', () => scoped(Flare, ctx).execute()],
    ['scoped in a transaction', () => inTransaction(() => scoped(Signal, ctx).execute())],
    [
      'scoped in a query of the application',
      () => database().selectFrom(scoped(Signal, ctx).as('s')).selectAll().execute(),
    ],
  ])('%s', async (_name, read) => {
    expect((await asRequest(read)).from).toBe('primary')
  })

  it('lists after a write of the same request', async () => {
    const { from, result } = await asRequest(async () => {
      const { id } = await signals.asSystem('test').insert({ name: 'written' })
      return (await list()).some((signal) => signal.id === id)
    })
    expect({ from, result }).toEqual({ from: 'primary', result: true })
  })

  it('scoped after a write of the same request', async () => {
    const { from, result } = await asRequest(async () => {
      const query = scoped(Signal, ctx)
      const { id } = await signals.asSystem('test').insert({ name: 'written too' })
      return (await query.execute()).some((signal) => signal.id === id)
    })
    expect({ from, result }).toEqual({ from: 'primary', result: true })
  })

  it('lists without a request, such as those of tasks', async () => {
    const replicaOfTask = await withDatabase(db, async () => {
      await list()
      return databaseContext().unit.replica
    })
    expect(replicaOfTask).toBeUndefined()
  })
})

it('reads an export from the replica on demand, even in a task', async () => {
  await caughtUp()
  const read = await withDatabase(db, async () => {
    const rows = await signals.asSystem('export').onReplica().findAll()
    return { rows: rows.length > 0, from: databaseContext().unit.replica?.name }
  })
  expect(read).toEqual({ rows: true, from: watchedReplicas(db)?.all[0]?.name })
})

it('reads the later lists of a task from the replica, although its first list starts the watches', async () => {
  const own = connectForTests(url, { replicas: readReplicas(replicaOptions) })
  await withDatabase(own, async () => {
    const exported = signals.asSystem('export').onReplica()
    const answered = async () => (await exported.findAll()) && databaseContext().unit.replica?.name
    expect(await answered()).toBeUndefined()
    await vi.waitFor(async () => expect(await answered()).toBe(watchedReplicas(own)?.all[0]?.name), 10_000)
  })
  await own.destroy()
})

it('gives rows the version that they have on the primary, so that stale decisions are noticed', async () => {
  await caughtUp()
  const versions = async () => (await list()).map((row) => originOf(Signal, row)?.version)
  const onReplica = await asRequest(versions)
  expect(onReplica.from).toBe('replica')
  expect(onReplica.result).toEqual(await withDatabase(db, versions))
})

describe('a replica that fails', () => {
  const problem = () => watchedReplicas(db)?.all[0]?.problem

  it('costs a list at most its timeout while it is frozen, and is read again afterwards', async () => {
    replica.freeze()
    const { from, result } = await asRequest(async () => (await list()).length > 0)
    expect({ from, result }).toEqual({ from: 'primary', result: true })
    await vi.waitFor(() => expect(problem()).not.toBeNull(), 10_000)
    expect((await asRequest(list)).from).toBe('primary')
    replica.thaw()
    await vi.waitFor(async () => expect((await asRequest(list)).from).toBe('replica'), 10_000)
  })

  it('fails no list when it is killed, and is read again after its restart', async () => {
    const over = new AbortController()
    const failures: unknown[] = []
    let count = 0
    const readers = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        await asRequest(list).catch((error: unknown) => failures.push(error))
        count++
      }
    })
    await replica.kill()
    await vi.waitFor(() => expect(problem()).not.toBeNull(), 10_000)
    await replica.start()
    await vi.waitFor(async () => expect((await asRequest(list)).from).toBe('replica'), 10_000)
    over.abort()
    await Promise.all(readers)
    expect(failures).toEqual([])
    expect(count).toBeGreaterThan(0)
  })

  it('lacks the table of a new migration, until it has replayed it', async () => {
    await asReplica('select pg_wal_replay_pause()')
    await sql`create table beacons (id bigint generated always as identity primary key, name text not null)`.execute(
      db,
    )
    await sql`insert into beacons (name) values ('first')`.execute(db)
    const { result } = await asRequest(() => beacons.visibleTo(ctx).findAll())
    expect(result).toMatchObject([{ name: 'first' }])
    expect((await asRequest(() => scoped(Beacon, ctx).execute())).result).toMatchObject([{ name: 'first' }])
    await asReplica('select pg_wal_replay_resume()')
  })

  it('does not pass a slow query on to the primary', async () => {
    const sent: string[] = []
    const impatient = connectForTests(url, {
      statementTimeout: 300,
      replicas: readReplicas({ ...replicaOptions, onChange: () => {} }),
      onStatement: (text) => sent.push(text),
    })
    await vi.waitFor(
      () =>
        withDatabase(
          impatient,
          async () => {
            await list()
            expect(databaseContext().unit.replica).not.toBeNull()
          },
          { request },
        ),
      10_000,
    )
    const slow = () =>
      signals.visibleTo(ctx).findAll({ where: () => sql<boolean>`(select true from pg_sleep(20))` })
    await expect(withDatabase(impatient, slow, { request })).rejects.toMatchObject({ status: 503 })
    expect(sent.filter((text) => text.includes('pg_sleep'))).toHaveLength(1)
    await impatient.destroy()
  })
})

async function asReplica(statement: string): Promise<void> {
  const client = new Client({ connectionString: replica.url('postgres') })
  await client.connect()
  await client.query(statement)
  await client.end()
}

describe('a role', () => {
  const urlAs = (server: { url(database: string): string }, username: string) =>
    Object.assign(new URL(server.url('postgres')), { username, password: 'reader' }).href

  /** Connects as a new role to the primary and to the replica. */
  const connectAs = async (role: string, changes: string[]) => {
    await sql.raw(`create role ${role} login password 'reader'`).execute(db)
    await sql.raw(`grant select on signals to ${role}`).execute(db)
    await caughtUp()
    const urls = [urlAs(replica, role)]
    const onChange = (change: string) => changes.push(change)
    const own = connectForTests(urlAs(primary, role), {
      replicas: readReplicas({ ...replicaOptions, urls, onChange }),
    })
    onTestFinished(() => own.destroy())
    return own
  }
  const replicaOf = (own: typeof db, position: bigint | null = null) =>
    withDatabase(
      own,
      async () => {
        databaseContext().unit.position = position
        await list()
        return databaseContext().unit.replica as Replica | null | undefined
      },
      { request },
    )

  it('that may not read positions reads no replica, and the log has the grant', async () => {
    await sql`revoke execute on function pg_control_system() from public`.execute(db)
    const changes: string[] = []
    const own = await connectAs('restricted', changes)
    await vi.waitFor(async () => {
      expect(await replicaOf(own)).toBeNull()
      expect(changes).toHaveLength(1)
    }, 10_000)
    expect(changes[0]).toContain('Its lag is unknown: permission denied for function pg_control_system.')
    const [grant = ''] = /grant execute .*"restricted"/.exec(changes[0] ?? '') ?? []
    await sql.raw(grant).execute(db)
    await vi.waitFor(async () => expect((await replicaOf(own))?.replayed).toBeTypeOf('bigint'), 10_000)
    expect(changes.slice(1)).toEqual([expect.stringMatching(/^Lists are read from the replica [^ ]+\.$/)])
    await sql`revoke execute on function pg_control_system() from restricted`.execute(db)
    await vi.waitFor(async () => expect(await replicaOf(own)).toBeNull(), 10_000)
  })

  it('reads the replica without positions, if the engine has none', async () => {
    // As on Aurora.
    await sql`create schema aurora`.execute(db)
    await sql`create function aurora.pg_control_system() returns table (system_identifier bigint) language plpgsql
      as 'begin raise exception ''not supported'' using errcode = ''0A000''; end'`.execute(db)
    const changes: string[] = []
    await sql`grant usage on schema aurora to public`.execute(db)
    const own = await connectAs('reader', changes)
    await sql`alter role reader set search_path = aurora, public, pg_catalog`.execute(db)
    await vi.waitFor(async () => expect((await replicaOf(own))?.replayed).toBeNull(), 10_000)
    expect(changes.at(-1)).toContain('nothing bounds the lag')
    expect(await replicaStates(own)).toMatchObject([{ problem: null, lag: null, position: null }])
    // After a write, the cookie's position is one that no replica reaches.
    expect(await replicaOf(own, LAST_POSITION)).toBeNull()
  })
})

it('is not read while the primary refuses connections, since its lag is unknown', async () => {
  await sql`create role limited login password 'limited' connection limit 0`.execute(db)
  const limited = Object.assign(new URL(url), { username: 'limited', password: 'limited' }).href
  const refused = connectForTests(limited, { replicas: readReplicas(replicaOptions) })
  try {
    expect(await replicaStates(refused)).toMatchObject([
      { problem: 'The primary has not answered yet.', lag: null },
    ])
  } finally {
    await refused.destroy()
  }
})

it('is reported once if it can’t be read from the start, without its password', async () => {
  const changes: string[] = []
  const closed = 'postgres://reader:hidden@127.0.0.1:1/postgres'
  const own = connectForTests(url, {
    replicas: readReplicas({
      ...replicaOptions,
      urls: [closed, url],
      onChange: (change) => changes.push(change),
    }),
  })
  try {
    await replicaStates(own)
    // Asked again after half a second.
    const asked = vi.spyOn(watchedReplicas(own)?.all[0] as Replica, 'markUnreadable')
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), 10_000)
    const { host, pathname } = new URL(url)
    expect(changes.toSorted()).toEqual(
      [
        `Lists are not read from the replica ${host}${pathname}. It is not a replica: it accepts writes.`,
        "Lists are not read from the replica 127.0.0.1:1/postgres. It doesn't answer: connect ECONNREFUSED 127.0.0.1:1.",
      ].toSorted(),
    )
  } finally {
    await own.destroy()
  }
})

describe('a server that is no replica of the primary', () => {
  it.each([
    ['the primary itself', () => primary.url('postgres'), 'It is not a replica: it accepts writes.'],
    [
      'a replica of another server',
      () => foreign.url('postgres'),
      'It is a replica of another database server.',
    ],
    [
      'a server of another protocol',
      () => `postgres://127.0.0.1:${(web.address() as AddressInfo).port}/postgres`,
      "It doesn't answer",
    ],
  ])('is not read: %s', async (_name, address, reason) => {
    const own = connectForTests(url, {
      replicas: readReplicas({ urls: [address()], maxLag: 60_000, timeout: 300 }),
    })
    try {
      await withDatabase(own, list, { request })
      const [server] = watchedReplicas(own)?.all ?? []
      await vi.waitFor(() => expect(server?.problem).toContain(reason), 10_000)
      await withDatabase(
        own,
        async () => {
          await list()
          expect(databaseContext().unit.replica).toBeNull()
        },
        { request },
      )
    } finally {
      await own.destroy()
    }
  })
})
