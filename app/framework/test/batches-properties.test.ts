import * as fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type BatchOptions, withDatabase } from 'pergola'
import { createTallies, tallies, type Tally } from './fixtures/tally.ts'
import { testDatabase } from 'pergola/testing'

const { db, statements } = await testDatabase()
await createTallies(db)
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = tallies.asSystem('test')

type Options = BatchOptions<typeof Tally>

const ORDERS = ['id', 'code', 'name', 'serial', ['group_id', 'place'], ['at', 'id']] as const
type Order = (typeof ORDERS)[number]

/** Rows with gaps, ties in every column but the key, and moments within a millisecond. */
async function store(ids: readonly number[]): Promise<void> {
  await sql`insert into tallies (id, name, serial, at, group_id, place)
    select id, case id % 3 when 0 then 'É' when 1 then 'e' else '' end || id,
      9007199254740993 + (id * 7919) % 1000003, timestamptz '1969-12-31 23:59:59.999999Z' + (id % 4) * interval '1 microsecond',
      id % 5, id / 5
    from unnest(${ids}::int[]) as id`.execute(db)
}

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 })
const order = fc.constantFrom(...ORDERS)
const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 })

type Event = { kind: 'fail' | 'resume' | 'take' } | { kind: 'delete' | 'insert'; id: number }
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'take' as const }) },
  fc.constantFrom({ kind: 'fail' as const }, { kind: 'resume' as const }),
  fc.record({
    kind: fc.constantFrom('delete' as const, 'insert' as const),
    id: fc.integer({ min: 1, max: 10_000 }),
  }),
)

/** Runs a walk to its end under these events. Returns the rows, and the calls that it took. */
async function live(options: Options, sizes: readonly number[], events: readonly Event[]) {
  const given: number[] = []
  const changed = new Set<number>()
  let [failing, failures, resumed] = [false, 0, 0]
  const where = () => (failing ? sql<boolean>`1 / 0 = 1` : sql<boolean>`true`)
  const begin = (position: string | null) =>
    all.findInBatches(sizes[resumed % sizes.length] ?? 1, { ...options, where, position })
  let walk = begin(null)
  const take = async () => {
    const batch = await walk.nextBatch()
    given.push(...(batch ?? []).map(({ id }) => id))
    return batch !== null
  }
  for (const event of events) {
    if (event.kind === 'take') await take()
    if (event.kind === 'resume') {
      resumed++
      walk = begin(walk.position)
    }
    if (event.kind === 'fail') {
      failing = true
      // At its end a walk asks nothing, and so can't fail.
      await take().catch(() => failures++)
      failing = false
    }
    if (event.kind === 'delete' || event.kind === 'insert') {
      changed.add(event.id)
      await sql`delete from tallies where id = ${event.id}`.execute(db)
      if (event.kind === 'insert') await store([event.id])
    }
  }
  while (await take());
  return { given, changed, failures, resumed }
}

const inOrder = async (order: Order) =>
  (
    await sql<{ id: number }>`select id from tallies order by ${sql.raw([order].flat().join(', '))}`.execute(
      db,
    )
  ).rows.map(({ id }) => id)

describe('a walk', () => {
  it('returns every row that stays once, despite failures, resumed walks and concurrent writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ids, order, sizes, events: fc.array(event, { maxLength: 15 }) }),
        async ({ ids, order, sizes, events }) => {
          await sql`truncate tallies`.execute(db)
          await store(ids)
          const before = await inOrder(order)
          statements.length = 0
          const { given, changed, failures, resumed } = await within(() => live({ order }, sizes, events))
          const stayed = before.filter((id) => !changed.has(id))
          expect(given.filter((id) => !changed.has(id))).toEqual(stayed)
          // Who was deleted and stored again has another key by some orders; by its id nothing comes twice.
          const once = order === 'id' ? given : stayed
          expect(new Set(once).size).toBe(once.length)
          const queries = statements.filter((text) => text.startsWith('select /* list */')).length
          const fewest = Math.min(...sizes)
          expect(queries).toBeLessThanOrEqual(
            Math.ceil(given.length / fewest) + 1 + failures + 2 * resumed + events.length,
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('with a fixed end gives exactly the rows up to it that there are all the while', async () => {
    await fc.assert(
      fc.asyncProperty(ids, sizes, fc.array(event, { maxLength: 12 }), async (ids, sizes, events) => {
        await sql`truncate tallies`.execute(db)
        await store(ids)
        const end = Math.max(0, ...ids)
        const kept = events.filter(({ kind }) => kind !== 'resume')
        const { given, changed } = await within(() =>
          live({ snapshot: true }, sizes, [{ kind: 'take' }, ...kept]),
        )
        expect(given.filter((id) => !changed.has(id))).toEqual(
          ids.filter((id) => !changed.has(id)).toSorted((one, other) => one - other),
        )
        expect(Math.max(0, ...given)).toBeLessThanOrEqual(end)
      }),
      { numRuns: 40 },
    )
  })
})

describe('partitions', () => {
  it('overlap nowhere and leave nothing out, however the keys lie', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ids, order, count: fc.integer({ min: 1, max: 9 }), sizes }),
        async ({ ids, order, count, sizes }) => {
          await sql`truncate tallies`.execute(db)
          await store(ids)
          const found = await within(async () => {
            const parts = await all.partitions(count, { order })
            expect(parts.length).toBeLessThanOrEqual(count)
            const walks = parts.map(async (part, place) => {
              const walked: number[] = []
              for await (const { id } of all.findEach(sizes[place % sizes.length] ?? 1, part)) walked.push(id)
              return walked
            })
            return Promise.all(walks)
          })
          expect(found.flat()).toEqual(await inOrder(order))
          const lengths = found.map(({ length }) => length)
          const difference = Math.max(...lengths) - Math.min(...lengths)
          expect(difference).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 40 },
    )
  })
})
