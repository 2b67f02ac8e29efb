import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { database, withDatabase } from 'pergola'
import { createTallies, tallies, fillTallies } from './fixtures/tally.ts'
import { testDatabase } from 'pergola/testing'

const { db } = await testDatabase()
await createTallies(db)
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = tallies.asSystem('test')
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1)

const FAILURE = 'A list could not be read: its SQL or one of its values is invalid.'

/** The size of a test database's connection pool. */
const POOL = 5

beforeEach(async () => {
  await sql`truncate tallies restart identity`.execute(db)
  await fillTallies(db, 100)
})

/** Renames the table, so that statements which read tallies fail, or restores its name. */
const breakTable = async (isBroken: boolean) => {
  const [from, to] = isBroken ? ['tallies', 'broken'] : ['broken', 'tallies']
  await sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db)
}

describe('a batch that fails', () => {
  it('is returned completely by the next call, without earlier rows', async () => {
    const walk = all.findInBatches(30)
    const batches: (number[] | string)[] = []
    for (let call = 0; call < 6; call++) {
      if (call === 2) await breakTable(true)
      if (call === 4) await breakTable(false)
      const batch = await within(() => walk.nextBatch()).catch((error: Error) => error.message)
      batches.push(typeof batch === 'string' ? batch : (batch ?? []).map(({ id }) => id))
    }
    const [one, two, three, four] = [upTo(30), upTo(60).slice(30), upTo(90).slice(60), upTo(100).slice(90)]
    expect(batches).toEqual([one, two, FAILURE, FAILURE, three, four])
  })

  it.each([2, 3, 4])(
    'after its backend was killed, in every batch of %i, is read again without lost or repeated rows',
    async (every) => {
      let queries = 0
      const where = () =>
        queries++ % every === 0 ? sql<boolean>`pg_terminate_backend(pg_backend_pid())` : sql<boolean>`true`
      const walk = all.findInBatches(10, { where })
      const { items, failures } = await untilEnd(() => walk.nextBatch())
      expect(items.flat().map(({ id }) => id)).toEqual(upTo(100))
      // The next attempt uses another connection, so it doesn't fail because of the killed backend.
      expect(failures).toBe(Math.ceil(10 / (every - 1)))
    },
  )

  it('after all idle connections were killed, is read again without lost or repeated rows', async () => {
    const walk = all.findEach(10)
    const { items } = await untilEnd(async () => {
      const row = await walk.next()
      if (row !== null && row.id % 20 === 0) await killOthers()
      return row
    })
    expect(items.map(({ id }) => id)).toEqual(upTo(100))
  })

  it('returns its connection to the pool, as an ended loop and an aborted walk do', async () => {
    const stopping = new AbortController()
    for (let count = 0; count < POOL + 1; count++) {
      const failing = all.findInBatches(10, { where: () => sql<boolean>`1 / (id - 1) > 0` })
      await expect(within(() => failing.nextBatch())).rejects.toThrow(FAILURE)
      await within(async () => {
        for await (const row of all.findEach(10)) if (row.id === 5) break
      })
      const stopped = all.findInBatches(10, { signal: stopping.signal })
      await within(() => stopped.nextBatch())
    }
    stopping.abort()
    const asleep = Array.from({ length: POOL }, () =>
      within(() => sql`select pg_sleep(0.05)`.execute(database())),
    )
    expect(await Promise.all(asleep)).toHaveLength(POOL)
  })
})

/** Calls `next` until the end, and again after each failure. Stops after 50 failures. */
async function untilEnd<Item>(next: () => Promise<Item | null>) {
  const items: Item[] = []
  let failures = 0
  while (failures < 50) {
    const item = await within(next).catch(() => undefined)
    if (item === null) break
    if (item === undefined) failures++
    else items.push(item)
  }
  return { items, failures }
}

/** Ends all connections except its own. */
const killOthers = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
    db,
  )
