import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BatchOptions, withDatabase } from 'pergola'
import { createTallies, tallies, type Tally } from './fixtures/tally.ts'
import { testDatabase } from 'pergola/testing'

const { db, statements } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = tallies.asSystem('test')

type Options = BatchOptions<typeof Tally>

/** Every id of a walk that a worker of its own makes, which knows the partition from a message. */
async function walked(partition: object, options: Options = {}): Promise<number[]> {
  const sent = JSON.parse(JSON.stringify(partition)) as Options
  const ids: number[] = []
  for await (const { id } of tallies.asSystem('worker').findEach(50, { ...sent, ...options })) ids.push(id)
  return ids
}

const sorted = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)
const storedIds = async (condition = 'true') =>
  (
    await sql<{ id: number }>`select id from tallies where ${sql.raw(condition)} order by id`.execute(db)
  ).rows.map(({ id }) => id)

describe('partitions', () => {
  beforeAll(async () => {
    await createTallies(db)
    // Nine tenths of the rows in a thousandth of the key range.
    await sql`insert into tallies (id, name, serial, at, group_id, place)
      select case when n <= 1800 then n else n * 1000 end, n::text, n, now(), n % 100, n / 100
      from generate_series(1, 2000) as n`.execute(db)
  })

  it.each([
    [{}, 'true'],
    [{ order: ['group_id', 'place'] }, 'true'],
    [{ order: 'name' }, 'true'],
    [{ start: 100, until: 1_900_000 }, 'id between 100 and 1900000'],
    [{ after: 100 }, 'id > 100'],
  ] as const)('walked by four workers at once give every row once: %j', async (range, condition) => {
    const parts = await within(() => all.partitions(4, range as never))
    const ids = await Promise.all(parts.map((part) => within(() => walked(part))))
    expect(sorted(ids.flat())).toEqual(await storedIds(condition))
    const [smallest = 0, largest = 0] = sorted(ids.map(({ length }) => length)).filter(
      (_, at) => at % 3 === 0,
    )
    expect([ids.length, largest - smallest <= 1]).toEqual([4, true])
  })

  it('are about equal in the rows that are asked for', async () => {
    const where: Options['where'] = (is) => is('id', '>', 1_800)
    const parts = await within(() => all.partitions(4, { where }))
    const ids = await Promise.all(parts.map((part) => within(() => walked(part, { where }))))
    expect(ids.map(({ length }) => length)).toEqual([50, 50, 50, 50])
  })

  it('continue from a position within their bounds', async () => {
    const [, second = {}] = await within(() => all.partitions(4))
    const whole = await within(() => walked(second))
    const walk = tallies.asSystem('worker').findInBatches(100, second)
    await within(() => walk.nextBatch())
    const rest = await within(() => walked(second, { position: walk.position }))
    expect(rest).toEqual(whole.slice(100))
    expect(await within(() => walked(second, { position: null }))).toEqual(whole)
  })

  it('put rows that are added beyond the last key into the last', async () => {
    const parts = await within(() => all.partitions(3))
    const add = sql<{ id: number }>`insert into tallies (id, name, serial, at, group_id, place)
      values (3000000, 'beyond', 3000000, now(), 100, 1) returning id`
    await add.execute(db)
    const ids = await Promise.all(parts.map((part) => within(() => walked(part))))
    await sql`delete from tallies where id = 3000000`.execute(db)
    expect(ids.map((found) => found.includes(3_000_000))).toEqual([false, false, true])
  })

  it('are fewer if there are fewer rows', async () => {
    const few = { until: 3 }
    const parts = await within(() => all.partitions(8, few))
    expect(parts).toEqual([{ until: ['1'] }, { after: ['1'], until: ['2'] }, { after: ['2'], until: 3 }])
    expect(await within(() => all.partitions(8, { until: 0 }))).toEqual([{ until: 0 }])
    expect(await within(() => all.partitions(1))).toEqual([{}])
  })

  it.each([0, -1, 1.5, Number.NaN])('are not %d', async (count) => {
    await expect(within(() => all.partitions(count))).rejects.toThrow(RangeError)
  })

  it('of a large table are judged by a sample of it', async () => {
    await sql`alter sequence tallies_id_seq restart with 5000000`.execute(db)
    await sql`insert into tallies (name, serial, at, group_id, place, tags)
      select 'large ' || n, n + 10000000, now(), n / 100 + 1000, n % 100, to_jsonb(md5(n::text) || repeat('x', 1500))
      from generate_series(1, 20000) as n`.execute(db)
    statements.length = 0
    const parts = await within(() => all.partitions(4))
    expect(statements.at(-1)).toContain('tablesample')
    const lengths = (await Promise.all(parts.map((part) => within(() => walked(part))))).map(
      ({ length }) => length,
    )
    expect(lengths.reduce((sum, length) => sum + length)).toBe(22_000)
    for (const length of lengths) expect(Math.abs(length - 5_500)).toBeLessThan(1_500)
    // If the sample contains few rows of the list, the whole list is read.
    const where: Options['where'] = (is) => is.and([is('place', '=', 99), is('group_id', '>=', 1_000)])
    const rare = await within(() => all.partitions(4, { where }))
    const found = await Promise.all(rare.map((part) => within(() => walked(part, { where }))))
    expect(found.map(({ length }) => length)).toEqual([50, 50, 50, 50])
  })
})
