import * as fc from 'fast-check'
import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  CursorRequest,
  listQuery,
  PageRequest,
  repository,
  resource,
  type RowOf,
  withDatabase,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { allRows, listSource } from './list-source.ts'

interface SaplingTable {
  id: Generated<number>
  name: string
  notes: string | null
  height: number | null
  weight: number
  origin: string
}

declare module 'pergola' {
  interface Tables {
    saplings: SaplingTable
  }
}

const Sapling = resource('Sapling', {
  table: 'saplings',
  input: z.strictObject({ name: z.string() }),
  columns: ['height', 'notes', 'weight'],
  hidden: ['origin'],
  sort: ['id', 'name', 'height'],
  search: ['name', 'notes'],
  filters: {
    name: z.string(),
    height: z.union([z.literal('none').transform(() => null), z.coerce.number()]),
    weight: z.coerce.number(),
  },
})
type Sapling = RowOf<typeof Sapling>

const { db, statements } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = repository(Sapling).asSystem('test')
const query = (text: string) => listQuery({ originalUrl: `/saplings?${text}` }, Sapling)
const names = async (text: string) =>
  (await within(() => all.findAll({ query: query(text) }))).map(({ name }) => name)

interface Given {
  name: string
  notes?: string
  height?: number | null
  weight?: number
}

async function plant(rows: readonly Given[]): Promise<void> {
  await sql`truncate saplings restart identity`.execute(db)
  for (const { name, notes = null, height = null, weight = 0 } of rows)
    await sql`insert into saplings (name, notes, height, weight, origin) values (${name}, ${notes}, ${height}, ${weight}, 'secret')`.execute(
      db,
    )
}

beforeAll(async () => {
  await sql`
    create table saplings (
      id bigint primary key generated always as identity,
      name text not null, notes text, height integer, weight double precision not null, origin text not null
    )`.execute(db)
})

describe('a search', () => {
  beforeAll(() =>
    plant([
      { name: 'Hops', notes: 'Climbs. 100% hardy.' },
      { name: 'Wild hop_s' },
      { name: 'Old rose', notes: 'Needs a WALL' },
      { name: 'back\\slash', notes: 'old' },
    ]),
  )

  it.each([
    ['hops', ['Hops']],
    ['HOP', ['Wild hop_s', 'Hops']],
    ['old', ['back\\slash', 'Old rose']],
    // Each word can match in a different column.
    ['wall rose', ['Old rose']],
    ['old wall', ['Old rose']],
    ['old hops', []],
    // The wildcards of LIKE are searched literally.
    ['100%', ['Hops']],
    ['10%', []],
    ['hop_s', ['Wild hop_s']],
    ['_', ['Wild hop_s']],
    ['%', ['Hops']],
    ['\\', ['back\\slash']],
    ['k\\s', ['back\\slash']],
    ["'; drop table saplings --", []],
    ['secret', []],
    ['\u{1f600}', []],
  ])('for %j returns %j', async (words, expected) => {
    expect(await names(`q=${encodeURIComponent(words)}`)).toEqual(expected)
  })

  it('counts the matching rows', async () => {
    const options = { query: query('q=hop') }
    const page = await within(() => all.page(new PageRequest(1, 1), options))
    expect([page.total_elements, await within(() => all.count(options))]).toEqual([2, 2])
    const capped = await within(() => all.page(new PageRequest(1, 1), { ...options, count: { cap: 5 } }))
    expect(capped).toMatchObject({ total_elements: 2, has_next: true })
  })

  it('is combined with the other conditions by AND', async () => {
    const found = await within(() =>
      all.findAll({
        query: query('q=hop'),
        where: (is) => is.or([is('name', '=', 'Hops'), is('name', '=', 'Old rose')]),
      }),
    )
    expect(found.map(({ name }) => name)).toEqual(['Hops'])
  })
})

describe('a filter', () => {
  beforeAll(() =>
    plant([
      { name: 'a', height: 1, weight: 0.5 },
      { name: 'b', height: 2_147_483_647, weight: 2 },
      { name: 'c', height: null, weight: 2 },
    ]),
  )

  it.each([
    ['height=1', ['a']],
    ['height=none', ['c']],
    ['weight=2', ['c', 'b']],
    ['weight=0.5', ['a']],
    ['name=b&weight=2', ['b']],
    ['name=b&height=1', []],
    ['height=tall', ['c', 'b', 'a']],
    ['origin=secret2', ['c', 'b', 'a']],
    // Numbers beyond the range of the column match no row and cause no error.
    ['height=2147483648', []],
    ['height=-9007199254740991', []],
    ['height=1.5', []],
    ['height=1e300', []],
    ['weight=1e400', ['c', 'b', 'a']],
    [`name=${'x'.repeat(10_000)}`, []],
  ])('%s returns %j', async (text, kept) => {
    expect(await names(text)).toEqual(kept)
  })

  it('uses an index of a numeric column', async () => {
    await sql`create index saplings_height on saplings (height)`.execute(db)
    await within(() => all.findAll({ query: query('height=1') }))
    const sent = statements.at(-1) ?? ''
    const plan = await db.connection().execute(async (one) => {
      await sql`set enable_seqscan = off`.execute(one)
      // Replaces the only parameter, because older versions of Postgres can't explain a statement with parameters.
      const { rows } = await sql<{
        'QUERY PLAN': string
      }>`explain ${sql.raw(sent.replace('$1', "'1'"))}`.execute(one)
      await sql`reset enable_seqscan`.execute(one)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).toContain('Index Cond: (height =')
  })
})

describe('an order', () => {
  beforeAll(() =>
    plant([
      { name: 'b', height: 5 },
      { name: 'a', height: null },
      { name: 'b', height: 4 },
      { name: 'c', height: 5 },
    ]),
  )

  it.each([
    ['', [4, 3, 2, 1]],
    ['sort=id', [1, 2, 3, 4]],
    ['sort=id&dir=desc', [4, 3, 2, 1]],
    ['sort=name', [2, 1, 3, 4]],
    ['sort=name&dir=desc', [4, 3, 1, 2]],
    // Nulls sort as the largest value.
    ['sort=height', [3, 1, 4, 2]],
    ['sort=height&dir=desc', [2, 4, 1, 3]],
    ['sort=origin', [4, 3, 2, 1]],
    ['sort=-name,height', [4, 3, 1, 2]],
    ['sort=name,height', [2, 3, 1, 4]],
    ['sort=name,-height', [2, 1, 3, 4]],
    ['sort=-height,name', [2, 1, 4, 3]],
    // The id follows in the direction of the last column, and columns after the id have no effect.
    ['sort=height,-name', [3, 4, 1, 2]],
    ['sort=name,-id,height', [2, 3, 1, 4]],
    ['sort=origin,-name', [4, 3, 1, 2]],
  ])('by %j returns %j', async (text, ids) => {
    const options = { query: query(text) }
    expect((await within(() => all.findAll(options))).map(({ id }) => id)).toEqual(ids)
    const pages = [1, 2, 3].map((page) => within(() => all.page(new PageRequest(page, 2), options)))
    expect((await Promise.all(pages)).flatMap(({ content }) => content.map(({ id }) => id))).toEqual(ids)
  })

  it('is only part of the query for the rows, not of the count', async () => {
    statements.length = 0
    await within(() => all.page(new PageRequest(1, 2), { query: query('sort=name') }))
    const [count, rows] = statements.join().split(' as "__total" ')
    expect([count, rows].map((text) => text?.includes('order by'))).toEqual([false, true])
  })
})

describe('filterText', () => {
  const source = listSource(Sapling, (is) => is.lit(true))
  const text = (params: string) => within(() => Promise.resolve(source.filterText({ query: query(params) })))

  it('is equal for equal conditions, regardless of their notation and the order', async () => {
    expect(await text('name=b&weight=2&q=a++c')).toBe(
      await text('q=a+c&weight=2.0&sort=name&name=a&name=b&page=3'),
    )
    expect(await text('sort=name&size=5')).toBe(await within(() => Promise.resolve(source.filterText({}))))
  })

  it('distinguishes bigint values beyond the range of a number', async () => {
    const by = (height: bigint) =>
      within(() =>
        Promise.resolve(source.filterText({ where: (is) => is('height', '=', sql<number>`${height}`) })),
      )
    expect(await by(9_007_199_254_740_992n)).not.toBe(await by(9_007_199_254_740_993n))
  })

  it('differs if the rows may differ', async () => {
    const texts = await Promise.all(
      ['', 'q=a', 'q=b', 'name=a', 'q=a&name=a', 'height=none', 'height=1'].map(text),
    )
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('all pages of a list', () => {
  const rows = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'B', 'c', 'ä', ''),
      notes: fc.constantFrom('a', 'x'),
      height: fc.option(fc.integer({ min: 0, max: 3 })),
    }),
    { maxLength: 25 },
  )
  const parameters = fc.record({
    sort: fc.constantFrom('', 'id', 'name', 'height', 'name,-height', '-height,name', 'name,-id'),
    dir: fc.constantFrom('', 'asc', 'desc'),
    q: fc.constantFrom('', 'a', 'x'),
    height: fc.constantFrom('', 'none', '2'),
  })
  const count = fc.constantFrom('exact' as const, { cap: 1 }, { cap: 7 }, { cap: 1_000 })

  it('contain each row of the list once and in order, with correct totals', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        parameters,
        fc.integer({ min: 1, max: 8 }),
        count,
        async (stored, params, size, count) => {
          await plant(stored)
          const options = { query: query(new URLSearchParams(params).toString()) }
          const whole = await within(() => all.findAll(options))
          const { pages, totals } = await walk(size, { ...options, count })
          expect(pages.flat()).toEqual(whole)
          expect(pages.every(({ length }) => length <= size)).toBe(true)
          expect(pages.length).toBe(Math.max(1, Math.ceil(whole.length / size)))
          const last = totals.at(-1)
          expect(last).toBe(whole.length)
          const counted = count === 'exact' ? whole.length : Math.min(count.cap, whole.length)
          expect(totals.filter((total) => total !== whole.length && total !== counted)).toEqual([])
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  async function walk(
    size: number,
    options: Parameters<typeof all.page>[1] & { count: 'exact' | { cap: number } },
  ) {
    const pages: (readonly Sapling[])[] = []
    const totals: number[] = []
    for (let number = 1, hasNext = true; hasNext; number++) {
      const page = await within(() => all.page(new PageRequest(number, size), options))
      pages.push(page.content)
      totals.push(page.total_elements)
      hasNext = page.has_next
    }
    return { pages, totals }
  }
})

describe('the cursor pages of a list', () => {
  const rows = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'B', 'ä', ''),
      notes: fc.constantFrom('a', 'x'),
      height: fc.option(fc.integer({ min: 0, max: 2 })),
    }),
    { maxLength: 14 },
  )
  const parameters = fc.record({
    sort: fc.constantFrom('id', 'name', 'height', 'name,-height', '-height,name', 'height,-name'),
    dir: fc.constantFrom('asc', 'desc'),
    q: fc.constantFrom('', 'x'),
  })
  /** The ids and new heights of rows that another process updates, one after each page. */
  const moves = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 14 }), fc.option(fc.integer({ min: 0, max: 2 }))),
    {
      maxLength: 6,
    },
  )

  async function walk(params: string, size: number, between = () => Promise.resolve()) {
    const ids: number[] = []
    let cursor: string | null = null
    do {
      const page = await within(() =>
        all.cursorPage(new CursorRequest(cursor, size), { query: query(params), invalidCursor: 'refuse' }),
      )
      ids.push(...page.content.map(({ id }) => id))
      cursor = page.next_cursor
      await between()
    } while (cursor !== null)
    return ids
  }

  it('have the same rows in the same order as findAll, including rows with NULL', async () => {
    await fc.assert(
      fc.asyncProperty(rows, parameters, fc.integer({ min: 1, max: 5 }), async (stored, params, size) => {
        await plant(stored)
        const text = new URLSearchParams(params).toString()
        const whole = await within(() => all.findAll({ query: query(text) }))
        expect(await walk(text, size)).toEqual(whole.map(({ id }) => id))
      }),
      { numRuns: 30 },
    )
  }, 60_000)

  it('contain each unchanged row once while other rows change', async () => {
    await fc.assert(
      fc.asyncProperty(rows, parameters, moves, async (stored, params, changes) => {
        await plant(stored)
        const text = new URLSearchParams(params).toString()
        const whole = (await within(() => all.findAll({ query: query(text) }))).map(({ id }) => id)
        const moved = new Set<number>()
        let step = 0
        const walked = await walk(text, 2, async () => {
          const [id, height] = changes[step++] ?? [0, null]
          moved.add(id)
          await sql`update saplings set height = ${height} where id = ${id}`.execute(db)
        })
        expect(walked.filter((id) => !moved.has(id))).toEqual(whole.filter((id) => !moved.has(id)))
      }),
      { numRuns: 30 },
    )
  }, 60_000)

  it('query rows with NULL only after the other rows', async () => {
    await plant([{ name: 'a', height: 1 }, { name: 'b', height: 2 }, { name: 'c', height: 3 }, { name: 'd' }])
    const read = (cursor: string | null) =>
      within(() => all.cursorPage(new CursorRequest(cursor, 1), { query: query('sort=height') }))
    const { next_cursor } = await read(null)
    statements.length = 0
    const two = await read(next_cursor)
    expect(statements).toHaveLength(1)
    expect((await read(two.next_cursor)).has_next).toBe(true)
    expect(statements).toHaveLength(3)
  })

  it('reject a cursor of a list with another order, direction, search or filter', async () => {
    await plant(['a', 'ab', 'abc'].map((name) => ({ name, height: 1, weight: 2 })))
    const read = (params: string, cursor: string | null = null) =>
      within(() =>
        all.cursorPage(new CursorRequest(cursor, 1), { query: query(params), invalidCursor: 'refuse' }),
      )
    const orders = ['', 'sort=name', 'sort=height', 'sort=-height', 'sort=height,name', 'sort=height,-name']
    const lists = [...orders, 'q=a', 'height=1', 'q=a&weight=2']
    for (const made of lists) {
      const { next_cursor } = await read(made)
      for (const list of lists) {
        const code = await read(list, next_cursor).then(
          ({ content }) => content.length,
          (error: { code?: unknown }) => error.code,
        )
        expect([made, list, code]).toEqual([made, list, list === made ? 1 : 'invalid_cursor'])
      }
    }
  })
})

describe('resource', () => {
  const declare = (options: object) => () =>
    resource('Shrub', {
      table: 'saplings',
      input: z.strictObject({}),
      hidden: ['origin'],
      ...options,
    } as never)

  it.each([{ sort: ['origin'] }, { search: ['origin'] }, { filters: { origin: z.string() } }])(
    'throws if a list option names a hidden column: %j',
    (lists) => {
      expect(declare(lists)).toThrow(`Shrub: no row contains 'origin'`)
    },
  )

  it.each(['page', 'size', 'cursor', 'sort', 'dir', 'q'])('throws for a filter named %s', (name) => {
    expect(declare({ columns: [name], filters: { [name]: z.string() } })).toThrow(
      `?${name}= is a parameter of every list`,
    )
  })
})

describe('a list whose caller sees none of the searched columns', () => {
  it('ignores the search', async () => {
    const fields = { rowOf: <Row extends object>(row: Row) => row, unlisted: ['name', 'notes'] }
    const query = listQuery({ originalUrl: '/saplings?q=nothing-has-this-name' }, Sapling)
    const seen = listSource(Sapling, allRows(Sapling), { fields })
    expect([listSource(Sapling, allRows(Sapling)).isNarrowed({ query }), seen.isNarrowed({ query })]).toEqual(
      [true, false],
    )
    await withDatabase(db, async () => {
      const [{ length }, all] = [await seen.read(seen.rows({ query })), await seen.read(seen.rows({}))]
      expect([length, length > 0]).toEqual([all.length, true])
    })
  })
})
