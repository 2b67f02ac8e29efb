import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { inTransaction, listQuery, type Page, PageRequest, withDatabase } from 'pergola'
import type { UncountedPage } from 'pergola/pagination'
import { makeNote, Note, notes } from '../../test/fixtures/note.ts'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '../../test/fixtures/user.ts'
import { lockingReads } from '../rows/key-share-locks.ts'
import { type CountMode, exactCount } from './count-rows.ts'

const { db, statements } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = notes.asSystem('test')
const ids: number[] = []

beforeAll(async () => {
  const { id: author_id } = await within(() => makeUser())
  for (let count = 0; count < 45; count++) ids.unshift((await within(() => makeNote({ author_id }))).id)
})

/**
 * Returns the result of a call, and the kind of each statement that it sent: `slice` for rows, `count` for a count,
 * `both` for a statement with rows and a count.
 */
async function sentFor<Result>(work: () => Promise<Result>) {
  statements.length = 0
  const result = await within(work)
  return { result, sent: statements.map(kindOf) }
}

function kindOf(text: string) {
  if (!text.includes('count(*)')) return 'slice'
  return text.includes('"__total"') ? 'both' : 'count'
}

const place = ({ content, ...rest }: Page<Note>) => ({ length: content.length, ...rest })

describe('a capped page', () => {
  it.each([
    // The list has 45 rows. Below the cap, the total is exact. A row after the page is counted in the same statement.
    [{ cap: 45, page: 1, size: 20 }, 20, { total_elements: 45, total_pages: 3, has_next: true }, 'both'],
    [{ cap: 100, page: 3, size: 20 }, 5, { total_elements: 45, total_pages: 3, has_next: false }, 'both'],
    [{ cap: 44, page: 1, size: 20 }, 20, { total_elements: 44, total_pages: 3, has_next: true }, 'both'],
    [{ cap: 20, page: 1, size: 20 }, 20, { total_elements: 20, total_pages: 1, has_next: true }, 'slice'],
    [{ cap: 10, page: 2, size: 20 }, 20, { total_elements: 10, total_pages: 1, has_next: true }, 'slice'],
    // Pages beyond the cap. On the last page, the total is exact.
    [{ cap: 10, page: 3, size: 20 }, 5, { total_elements: 45, total_pages: 3, has_next: false }, 'slice'],
    [{ cap: 10, page: 9, size: 5 }, 5, { total_elements: 45, total_pages: 9, has_next: false }, 'slice'],
    // Beyond the end, rows are only counted up to the cap.
    [
      { cap: 10, page: 4, size: 20 },
      0,
      { total_elements: 10, total_pages: 1, has_next: false },
      'slice,count',
    ],
    [
      { cap: 50, page: 4, size: 20 },
      0,
      { total_elements: 45, total_pages: 3, has_next: false },
      'slice,count',
    ],
    [
      { cap: 10, page: 10, size: 100 },
      0,
      { total_elements: 10, total_pages: 1, has_next: false },
      'slice,count',
    ],
    // Too far behind the cap: no rows are read.
    [{ cap: 10, page: 11, size: 100 }, 0, { total_elements: 10, total_pages: 1, has_next: false }, 'count'],
    [
      { cap: 50, page: 4_294_967_295, size: 100 },
      0,
      { total_elements: 45, total_pages: 1, has_next: false },
      'count',
    ],
    [
      { cap: 10, page: 4_294_967_295, size: 5 },
      0,
      { total_elements: 10, total_pages: 2, has_next: false },
      'count',
    ],
  ])('with %j has %i rows and %j, and sends %s', async ({ cap, page, size }, length, totals, statements) => {
    const { result, sent } = await sentFor(() => all.page(new PageRequest(page, size), { count: { cap } }))
    const isCapped = totals.total_elements < 45
    // A clone doesn't have the list of the page.
    expect(place(structuredClone(result))).toEqual({
      length,
      page,
      size,
      ...totals,
      has_previous: page > 1,
      ...(isCapped && { total_is_capped: true }),
    })
    expect(result.content.map(({ id }) => id)).toEqual(ids.slice((page - 1) * size, page * size))
    expect(sent.join()).toBe(statements)
  })

  it('counts at most cap + 1 rows', async () => {
    await within(() => all.page(new PageRequest(1, 20), { count: { cap: 30 } }))
    expect(statements.at(-1)).toMatch(
      /then \(select count\(\*\) as "total" from \(select .* limit (?:31|\$\d)\) as "rows"\) end as "__total"/,
    )
  })

  it.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, '10' as never])(
    'rejects a cap of %s before any query',
    async (cap) => {
      statements.length = 0
      const page = within(() => all.page(new PageRequest(), { count: { cap } }))
      await expect(page).rejects.toThrow(RangeError)
      expect(statements).toEqual([])
    },
  )
})

/** Returns how many rows a page evaluates the condition for. */
async function evaluationsOf(request: PageRequest, count: CountMode) {
  await sql`create sequence if not exists evaluations`.execute(db)
  await sql`alter sequence evaluations restart`.execute(db)
  await within(() => all.page(request, { where: () => sql`nextval('evaluations') > 0`, count } as never))
  const { rows } = await sql<{ next: number }>`select nextval('evaluations')::int as next`.execute(db)
  return (rows[0]?.next ?? 0) - 1
}

describe('a capped page of a long list', () => {
  beforeAll(async () => {
    await sql`insert into notes (title, body, author_id)
      select 'long', 'Words', (select max(id) from users) from generate_series(1, 20000)`.execute(db)
    await sql`analyze notes`.execute(db)
  })
  afterAll(() => sql`delete from notes where title = 'long'`.execute(db))

  it('evaluates the condition for at most twice as many rows as the first page', async () => {
    const count = { cap: 1_000 }
    const first = await evaluationsOf(new PageRequest(1), count)
    expect(first).toBe(21 + 1_001)
    for (const page of [50, 51, 99, 100, 101, 5_000, 4_294_967_295])
      expect(await evaluationsOf(new PageRequest(page), count)).toBeLessThan(2 * first)
    for (const page of [101, 5_000]) expect(await evaluationsOf(new PageRequest(page), count)).toBe(1_001)
  })

  it('has no next page that would be empty', async () => {
    const page = (number: number) =>
      within(() => all.page(new PageRequest(number), { count: { cap: 1_000 } }))
    const pages = await Promise.all([50, 99, 100, 101].map(page))
    expect(pages.map(({ content, has_next }) => [content.length, has_next])).toEqual([
      [20, true],
      [20, true],
      [20, false],
      [0, false],
    ])
    expect(pages[3]).toMatchObject({ total_elements: 1_000, total_is_capped: true, has_previous: true })
  })
})

describe('an uncounted page', () => {
  it.each([
    [1, 20, 20, true],
    [2, 20, 20, true],
    [3, 20, 5, false],
    [4, 20, 0, false],
    [3, 15, 15, false],
    [4_294_967_295, 100, 0, false],
  ])('%i of size %i has %i rows, and has_next is %s', async (page, size, length, has_next) => {
    const { result, sent } = await sentFor(() => all.page(new PageRequest(page, size), { count: 'none' }))
    // A clone doesn't have the list of the page.
    const { content, ...rest } = structuredClone(result)
    expect([content.length, sent]).toEqual([length, ['slice']])
    expect(rest).toStrictEqual({ page, size, has_next, has_previous: page > 1 })
  })

  it('has no totals', async () => {
    const uncounted = await within(() => all.page(new PageRequest(), { count: 'none' }))
    expectTypeOf(uncounted).toEqualTypeOf<UncountedPage<Note>>()
    // @ts-expect-error not counted
    expect(uncounted.total_elements).toBeUndefined()
  })
})

describe('an exact page', () => {
  it.each([
    [1, 20, 'both'],
    [3, 20, 'both'],
    [3, 15, 'both'],
    [1, 45, 'both'],
    [4, 20, 'both,count'],
    [201, 50, 'both,count'],
    [202, 50, 'count'],
  ])('%i of size %i sends %s', async (page, size, sentences) => {
    const { result, sent } = await sentFor(() => all.page(new PageRequest(page, size)))
    expect([result.total_elements, sent.join()]).toEqual([45, sentences])
  })

  it.each([
    [1, 20, 21 + 45],
    [2, 20, 41 + 45],
    [3, 20, 45],
    [1, 45, 45],
  ])(
    '%i of size %i evaluates the condition for %i rows, since a last page is not counted',
    async (page, size, rows) => {
      expect(await evaluationsOf(new PageRequest(page, size), 'exact')).toBe(rows)
    },
  )

  it('has no column for the total in its rows', async () => {
    const { content } = await within(() => all.page(new PageRequest(1, 44)))
    const [row] = await within(() => all.findAll())
    expect(content.map((note) => Object.keys(note))).toEqual(
      Array.from({ length: 44 }, () => Object.keys(row!)),
    )
  })

  it('of an empty list sends no second statement', async () => {
    const { result, sent } = await sentFor(() =>
      all.page(new PageRequest(), { where: (is) => is('id', '=', -1) }),
    )
    expect([result.total_elements, result.total_pages, sent.join()]).toEqual([0, 1, 'both'])
  })
})

describe('a consistent page', () => {
  /** A database in which another connection adds a note after each query. */
  const busy = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await within(() => makeNote())
      return result
    },
  })
  const pageOf = (page: number, consistent?: true) =>
    withDatabase(busy, () => all.page(new PageRequest(page, 20), { ...(consistent && { consistent }) }))

  // The page beyond the end is counted by a second statement.
  it.each([
    [true, 1, 'counts the rows of the same snapshot', 0],
    [true, 9, 'counts the rows of the same snapshot', 0],
    [undefined, 1, 'counts the rows of the same snapshot, since it is one statement', 0],
    [undefined, 9, 'also counts rows that were added meanwhile', 1],
  ] as const)('(%s) %i %s', async (consistent, page, _what, since) => {
    const before = await within(() => all.count())
    expect(before).toBeLessThan(160)
    const { total_elements } = await pageOf(page, consistent)
    expect(total_elements).toBe(before + since)
  })

  it('throws in a transaction of a weaker isolation level', async () => {
    const page = () => all.page(new PageRequest(), { consistent: true })
    const inside = (isolation: 'read committed' | 'repeatable read') =>
      within(() => inTransaction(page, { isolation }))
    await expect(inside('read committed')).rejects.toThrow("can't become 'repeatable read'")
    expect((await inside('repeatable read')).content).toHaveLength(20)
  })
})

describe('a page with a search', () => {
  const search = (q: string) => listQuery({ originalUrl: `/notes?q=${q}` }, Note)
  const shapes = () =>
    statements.map((text) =>
      text.includes('count(*)') ? 'count' : text.includes('as materialized') ? 'found' : 'ordered',
    )
  const shapesOf = async (q: string, count: 'exact' | 'none' | { cap: number }) => {
    statements.length = 0
    const page = await within(() =>
      notes.asSystem('test').page(new PageRequest(), { query: search(q), count } as never),
    )
    return { rows: (page as Page<Note>).content.length, shapes: shapes() }
  }

  beforeAll(async () => {
    await sql`insert into notes (title, body, published, author_id)
      select case when n <= 3 then 'rare ' || n else 'common' end, 'Words', true, (select max(id) from users)
      from generate_series(1, 1004) n`.execute(db)
  })

  it.each(['exact', { cap: 10_000 }, 'none'] as const)(
    'is counted first, which decides how its rows are read: %j',
    async (count) => {
      expect(await shapesOf('rare', count)).toEqual({ rows: 3, shapes: ['count', 'found'] })
      expect(await shapesOf('common', count)).toEqual({ rows: 20, shapes: ['count', 'ordered'] })
    },
  )

  it('with a small cap is read in the same way, and its total is capped', async () => {
    expect((await shapesOf('rare', { cap: 1 })).shapes).toEqual(['count', 'found'])
    expect((await shapesOf('common', { cap: 100 })).shapes).toEqual(['count', 'ordered'])
    const page = await within(() =>
      notes.asSystem('test').page(new PageRequest(1, 1), { query: search('rare'), count: { cap: 1 } }),
    )
    expect(page).toMatchObject({ total_elements: 1, total_is_capped: true })
  })

  it('too far behind a cap is counted up to the cap or up to 1,000 results', async () => {
    const far = (q: string) =>
      within(() => all.page(new PageRequest(4_000_000_000), { query: search(q), count: { cap: 10 } }))
    expect(await far('rare')).toMatchObject({ total_elements: 3, content: [] })
    const capped = await far('common')
    expect(capped).toMatchObject({ total_elements: 10, total_is_capped: true, content: [], has_next: false })
  })

  it('reads no rows if nothing was found', async () => {
    expect(await shapesOf('absent', { cap: 10_000 })).toEqual({ rows: 0, shapes: ['count'] })
  })

  it('is in the order of the list', async () => {
    const titles = async (order: string, page: number) =>
      (
        await within(() => all.page(new PageRequest(page, 2), { query: search(`rare&${order}`) }))
      ).content.map(({ title }) => title)
    expect(await titles('', 1)).toEqual(['rare 3', 'rare 2'])
    expect(await titles('sort=title&dir=asc', 1)).toEqual(['rare 1', 'rare 2'])
    expect(await titles('sort=title&dir=asc', 2)).toEqual(['rare 3'])
  })
})

describe('a deep page', () => {
  const deep = (page: number, order = '') =>
    sentFor(() =>
      all.page(new PageRequest(page, 20), {
        query: listQuery({ originalUrl: `/notes?${order}` }, Note),
        where: (is) => is('title', 'like', 'common%'),
        count: 'none',
      }),
    )
  const hasIds = () => statements.map((text) => /"id" in \(select .*"id"/.test(text))

  beforeAll(async () => {
    await sql`insert into notes (title, body, published, author_id)
      select 'common ' || lpad(n::text, 4, '0'), 'Words', true, (select max(id) from users)
      from generate_series(1, 400) n`.execute(db)
  })

  it('is found by the ids of its rows, in the order of the list', async () => {
    const { result } = await deep(52)
    expect(hasIds()).toEqual([true])
    const everything = await within(() => all.findAll({ where: (is) => is('title', 'like', 'common%') }))
    expect(result.content).toEqual(everything.slice(51 * 20, 52 * 20))
    expect(result.has_next).toBe(true)
  })

  it('has the requested order', async () => {
    const { result } = await deep(60, 'sort=title&dir=asc')
    expect(hasIds()).toEqual([true])
    const titles = result.content.map(({ title }) => title)
    expect(titles).toEqual(titles.toSorted())
    expect(titles).toHaveLength(20)
  })

  it('is read directly up to row 1,000', async () => {
    const { result } = await deep(51)
    expect([hasIds(), result.content.length]).toEqual([[false], 20])
  })
})

describe('a page that a rule reads again with locks', () => {
  it('locks its rows, and is counted by another statement', async () => {
    const locked = () => inTransaction(() => lockingReads(() => all.page(new PageRequest(1, 5))))
    const { result, sent } = await sentFor(locked)
    const [, slice] = statements
    // Between `start transaction` and `commit`.
    expect(sent.slice(1, -1)).toEqual(['slice', 'count'])
    expect(slice).toMatch(/ for key share of "notes"$/)
    expect(result.total_elements).toBe(await within(() => all.count()))
  })
})

describe('exactCount', () => {
  it('returns the count as a number, and throws if it would be rounded', () => {
    expect(exactCount('9007199254740991')).toBe(9_007_199_254_740_991)
    expect(() => exactCount('9007199254740993')).toThrow('too large for an exact number')
  })
})
