import type { Request } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction, withAllTenants, withDatabase, withTenant } from 'pergola'
import { fromShard, shardNames, shardOfError, Shards } from 'pergola/scale'
import { runTask, starter, task } from 'pergola/tasks'
import { connectForTests, freePort } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { sql } from 'kysely'
import { z } from 'zod'
import { makeNote, notes } from './fixtures/note.ts'
import { createTenantTables, groves, makeGrove } from './fixtures/tenants.ts'

const eu = await testDatabase()
const us = await testDatabase()
const alone = await testDatabase()
Shards.of([
  ['eu', eu.db],
  ['us', us.db],
])

const titlesHere = async () => (await notes.asSystem('test').findAll()).map(({ title }) => title)
const at = <Result>(work: () => Promise<Result>) => withDatabase(eu.db, work)

beforeAll(async () => {
  for (const [title, { db }] of [
    ['in eu', eu],
    ['in us', us],
  ] as const) {
    await withDatabase(db, () => makeNote({ title }))
  }
})

describe('fromShard', () => {
  it('calls the work with the database of the shard, and returns its result', async () => {
    expect(await at(() => fromShard('us', titlesHere))).toEqual(['in us'])
    expect(await at(() => fromShard('us', () => fromShard('eu', titlesHere)))).toEqual(['in eu'])
    expect(await at(titlesHere)).toEqual(['in eu'])
  })

  it('throws for an unknown name, with the names', async () => {
    for (const name of ['asia', '', 'constructor'])
      await expect(at(() => fromShard(name, titlesHere))).rejects.toThrow(
        `No shard is named "${name}". Shards: eu, us.`,
      )
  })

  it('throws without shards, with the remedy', async () => {
    await expect(withDatabase(alone.db, () => fromShard('eu', titlesHere))).rejects.toThrow(
      'No shards are configured. Add them to app/config.toml: [[database.shards]].',
    )
    expect(() => withDatabase(alone.db, () => shardNames())).toThrow('No shards are configured.')
  })

  it('throws in a request, before the work begins', async () => {
    let isCalled = false
    const work = () => {
      isCalled = true
      return Promise.resolve()
    }
    const inRequest = withDatabase(eu.db, () => fromShard('us', work), { request: {} as Request })
    await expect(inRequest).rejects.toThrow('fromShard can’t be called in a request')
    expect(isCalled).toBe(false)
  })

  it('throws in a transaction, which could not be rolled back together', async () => {
    await expect(at(() => inTransaction(() => fromShard('us', titlesHere)))).rejects.toThrow(
      'fromShard can’t be called in a transaction',
    )
  })

  it('writes nothing in the dry run of a task', async () => {
    const copy = task('copy', {
      description: 'Writes to another shard.',
      args: z.object({}),
      dryRun: true,
      run: () => fromShard('us', async () => void (await makeNote({ title: 'copied', author_id: 1 }))),
    })
    const { outcome, error } = await run(copy, true)
    expect([outcome, String(error)]).toEqual([
      'failed',
      expect.stringContaining('tried to write in a dry run'),
    ])
    expect(await withDatabase(us.db, titlesHere)).toEqual(['in us'])
  })

  it('commits nothing after the task has lost its lease', async () => {
    const copy = task('copy-late', {
      description: 'Writes to another shard.',
      args: z.object({}),
      run: async () => {
        await sql`delete from task_leases`.execute(eu.db)
        await fromShard('us', () =>
          inTransaction(async () => void (await makeNote({ title: 'late', author_id: 1 }))),
        )
      },
    })
    expect((await run(copy, false)).outcome).toBe('lost')
    expect(await withDatabase(us.db, titlesHere)).toEqual(['in us'])
  })

  it('writes in a task, which keeps its lease in its own shard', async () => {
    const copy = task('copy-once', {
      description: 'Writes to another shard.',
      args: z.object({}),
      run: () =>
        fromShard('us', () =>
          inTransaction(async () => void (await makeNote({ title: 'copied', author_id: 1 }))),
        ),
    })
    expect((await run(copy, false)).outcome).toBe('done')
    expect(await withDatabase(us.db, titlesHere)).toEqual(expect.arrayContaining(['copied', 'in us']))
    await sql`delete from notes where title = 'copied'`.execute(us.db)
  })
})

const run = (one: Parameters<typeof runTask>[1], dryRun: boolean) =>
  runTask(eu.db, one, {
    args: {},
    dryRun,
    resume: false,
    starter: starter('a test'),
    leaseSeconds: 30,
    signal: new AbortController().signal,
    output: { say: () => {}, warn: () => {}, progress: () => {} },
  })

describe('acrossTenants', () => {
  const all = () => notes.asSystem('test').acrossTenants()

  it('returns and counts the rows of all shards', async () => {
    expect((await at(() => all().findAll())).map(({ title }) => title)).toEqual(['in eu', 'in us'])
    expect(await at(() => all().count())).toBe(2)
    expect(await at(() => all().count({ where: (is) => is('title', '=', 'in us') }))).toBe(1)
  })

  it('reads all tenants of all shards within withAllTenants, and rejects one tenant', async () => {
    for (const { db } of [eu, us]) {
      await createTenantTables(db)
      await withDatabase(db, () => makeGrove(1))
    }
    const count = () => groves.asSystem('test').acrossTenants().count()
    expect(await at(() => withAllTenants(count))).toBe(2)
    await expect(at(() => withTenant(1, count))).rejects.toThrow('no tenant is set here')
  })

  it('reads the one database without shards', async () => {
    expect(await withDatabase(alone.db, () => all().count())).toBe(0)
  })

  const others = Object.keys(notes.asSystem('test')).filter(
    (name) => !['findAll', 'count', 'onReplica', 'acrossTenants'].includes(name),
  )

  it('is tested with each method', () => {
    expect(others).toEqual(
      expect.arrayContaining(['page', 'cursorPage', 'findEach', 'findInBatches', 'inBatches', 'find']),
    )
    expect(others).toEqual(expect.arrayContaining(['insert', 'update', 'delete', 'saveMany', 'upsertMany']))
  })

  it.each(others)('throws for %s, and names fromShard', async (name) => {
    for (const { statements } of [eu, us]) statements.length = 0
    const call = () => (all() as unknown as Record<string, () => unknown>)[name]?.()
    await expect(at(async () => call())).rejects.toThrow(
      `acrossTenants() of Note has no ${name}: it only has findAll and count. ` +
        'Iterate each shard: for (const name of shardNames()) await fromShard(name, () => …).',
    )
    expect([...eu.statements, ...us.statements]).toEqual([])
  })

  it('throws in a request', async () => {
    const call = () => withDatabase(eu.db, async () => all().findAll(), { request: {} as Request })
    await expect(call()).rejects.toThrow('acrossTenants of Note can’t be called in a request')
  })

  it('fails if one of the shards does not answer, instead of returning a part', async () => {
    const down = connectForTests(`postgres://nobody@127.0.0.1:${await freePort()}/nothing`, {
      poolSize: 1,
    })
    afterAll(() => down.destroy())
    Shards.of([
      ['alone', alone.db],
      ['down', down],
    ])
    await expect(withDatabase(alone.db, () => all().count())).rejects.toThrow('ECONNREFUSED')
    await expect(withDatabase(alone.db, () => all().findAll())).rejects.toThrow('ECONNREFUSED')
    const error: unknown = await withDatabase(alone.db, () => all().count()).catch(
      (thrown: unknown) => thrown,
    )
    expect(shardOfError(error)).toBe('down')
  })
})
