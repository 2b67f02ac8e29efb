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

async function store(ids: readonly number[]): Promise<void> {
  await sql`insert into tallies (id, group_id)
    select id, id % 5 from unnest(${ids}::int[]) as id`.execute(db)
}

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 })
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

/** Runs a walk to its end, with these events between its batches. Returns the ids and the numbers of events. */
async function live(options: Options, sizes: readonly number[], events: readonly Event[]) {
  const returned: number[] = []
  const changed = new Set<number>()
  let [failing, failures, resumed] = [false, 0, 0]
  const where = () => (failing ? sql<boolean>`1 / 0 = 1` : sql<boolean>`true`)
  const begin = (position: string | null) =>
    all.findInBatches(sizes[resumed % sizes.length] ?? 1, { ...options, where, position })
  let walk = begin(null)
  const take = async () => {
    const batch = await walk.nextBatch()
    returned.push(...(batch ?? []).map(({ id }) => id))
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
      // A walk that has ended sends no query, so it can't fail.
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
  return { returned, changed, failures, resumed }
}

const rising = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)

describe('a walk', () => {
  it('returns every unchanged row once, despite failures, resumed walks and concurrent writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ids, sizes, events: fc.array(event, { maxLength: 15 }) }),
        async ({ ids, sizes, events }) => {
          await sql`truncate tallies`.execute(db)
          await store(ids)
          statements.length = 0
          const { returned, changed, failures, resumed } = await within(() => live({}, sizes, events))
          const stayed = rising(ids).filter((id) => !changed.has(id))
          expect(returned.filter((id) => !changed.has(id))).toEqual(stayed)
          expect(new Set(returned).size).toBe(returned.length)
          const queries = statements.filter((text) => text.startsWith('select /* list */')).length
          const fewest = Math.min(...sizes)
          expect(queries).toBeLessThanOrEqual(
            Math.ceil(returned.length / fewest) + 1 + failures + 2 * resumed + events.length,
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('with a fixed end returns exactly the unchanged rows up to it', async () => {
    await fc.assert(
      fc.asyncProperty(ids, sizes, fc.array(event, { maxLength: 12 }), async (ids, sizes, events) => {
        await sql`truncate tallies`.execute(db)
        await store(ids)
        const end = Math.max(0, ...ids)
        const unresumed = events.filter(({ kind }) => kind !== 'resume')
        const { returned, changed } = await within(() =>
          live({ snapshot: true }, sizes, [{ kind: 'take' }, ...unresumed]),
        )
        expect(returned.filter((id) => !changed.has(id))).toEqual(
          rising(ids).filter((id) => !changed.has(id)),
        )
        expect(Math.max(0, ...returned)).toBeLessThanOrEqual(end)
      }),
      { numRuns: 40 },
    )
  })
})
