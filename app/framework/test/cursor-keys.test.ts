import { type Generated, type SelectQueryBuilder, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type CursorPage,
  CursorRequest,
  database,
  inTransaction,
  repository,
  listQuery,
  resource,
  type Tables,
  withDatabase,
} from 'pergola'
import { decodeCursor, encodeCursor, pageByCursor } from 'pergola/pagination'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'

interface SoundingTable {
  id: Generated<number>
  at: string
  depth: string
  word: string
  station_id: number | null
  note: string | null
}

declare module 'pergola' {
  interface Tables {
    soundings: SoundingTable
    stations: { id: number; name: string }
  }
}

const ROWS = 60
const { db, url, statements } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const Sounding = resource('Sounding', {
  table: 'soundings',
  input: z.strictObject({}),
  columns: ['at', 'depth', 'note', 'station_id', 'word'],
  search: ['word'],
})

beforeAll(async () => {
  await sql`create table stations (id bigint primary key, name text not null)`.execute(db)
  await sql`insert into stations values (1, 'North')`.execute(db)
  await sql`create table soundings (
    id bigint generated always as identity primary key, at timestamptz not null, depth numeric not null,
    word varchar(20) not null, station_id bigint, note text, pressure money not null default 0)`.execute(db)
  await sql`insert into soundings (at, depth, word, station_id)
    select '2026-01-01'::timestamptz + n * interval '7 min 0.000001 s', n / 7.0, 'w' || n, case when n % 2 = 0 then 1 end
    from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db)
})

const idsOf = ({ content }: { content: readonly { id: number }[] }) => content.map(({ id }) => id)

/** Returns the ids of all pages. Ends after twice as many pages as a correct walk has. */
async function walk(read: (request: CursorRequest) => Promise<CursorPage<{ id: number }>>, size = 7) {
  const ids: number[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < (2 * ROWS) / size; pages++) {
    const page: CursorPage<{ id: number }> = await within(() => read(new CursorRequest(cursor, size)))
    ids.push(...idsOf(page))
    cursor = page.next_cursor
    if (cursor === null) return ids
  }
  throw new Error('The walk does not end.')
}
const newestFirst = Array.from({ length: ROWS }, (_, index) => ROWS - index)

const soundings = () => database().selectFrom('soundings').select('soundings.id')
const withStations = () => soundings().leftJoin('stations', 'stations.id', 'soundings.station_id')
type AnyQuery = SelectQueryBuilder<Tables, 'soundings', { id: number }>
const byKey =
  (query: () => unknown, column: string, direction: 'asc' | 'desc' = 'desc') =>
  (request = new CursorRequest(null, 7)) =>
    pageByCursor(query() as AnyQuery, request, {
      name: `by ${column} ${direction}`,
      keys: [
        { column, direction },
        { column: 'soundings.id', direction: 'desc' },
      ],
      invalidCursor: 'refuse',
    })

describe('a nullable key without nulls', () => {
  const message = /by .* are ordered by .*, which may be null.*nulls: 'last' in keys/
  const nested = () =>
    database()
      .selectFrom(database().selectFrom('soundings').selectAll().as('inner'))
      .selectAll()
      .innerJoin('soundings', 'soundings.id', 'inner.id')
  it.each([
    ['a nullable column', soundings, 'note'],
    ['a column with its table', soundings, 'soundings.note'],
    ['the optional side of a join', withStations, 'stations.name'],
    [
      'a column of an aliased table',
      () =>
        database().selectFrom('soundings as s').innerJoin('soundings', 'soundings.id', 's.id').select('s.id'),
      's.note',
    ],
    ['a column of a subquery', nested, 'inner.note'],
  ])('throws: %s', async (_what, query, column) => {
    for (const direction of ['asc', 'desc'] as const)
      await expect(within(() => byKey(query, column, direction)())).rejects.toThrow(message)
  })

  it('throws for a null in an expression, about which the database knows nothing', async () => {
    const query = () =>
      soundings().innerJoin(
        sql<{
          n: number
          half: number | null
        }>`(select id as n, nullif(id % 2, 0) as half from soundings)`.as('halves'),
        'halves.n',
        'soundings.id',
      )
    await expect(within(() => byKey(query, 'halves.half')())).rejects.toThrow(message)
  })

  it('throws in a repository', async () => {
    const byNote = repository(Sounding, { order: '-note' as '-word' }).asSystem('test')
    const query = listQuery({ originalUrl: '/soundings?q=a' }, Sounding)
    for (const options of [{}, { query }])
      await expect(within(() => byNote.cursorPage(new CursorRequest(), options))).rejects.toThrow(
        /Sounding are ordered by note, which may be null/,
      )
  })

  it('costs one query for each order of a table in a process', async () => {
    statements.length = 0
    const read = byKey(soundings, 'word', 'asc')
    for (let count = 0; count < 3; count++) await within(() => read())
    expect(statements.filter((text) => text.includes('pg_attribute'))).toHaveLength(1)
    expect(statements).toHaveLength(4)
  })
})

describe('a query with an order or a limit of its own', () => {
  it.each<[string, (query: ReturnType<typeof soundings>) => unknown]>([
    ['an order', (query) => query.orderBy('at')],
    ['a limit', (query) => query.limit(5)],
    ['an offset', (query) => query.offset(5)],
    ['a fetch', (query) => query.fetch(5)],
    ['a union', (query) => query.union(soundings())],
  ])('is refused: %s', async (_what, change) => {
    await expect(within(() => byKey(() => change(soundings()), 'at')())).rejects.toThrow(
      /The query of 'by at desc' has its own .*\. Remove it, or wrap the query in a subquery/,
    )
  })

  it('is accepted as a subquery', async () => {
    const newest = () =>
      database()
        .selectFrom(soundings().select('at').orderBy('at', 'desc').limit(20).as('soundings'))
        .selectAll()
    expect(await walk(byKey(newest, 'at'))).toEqual(newestFirst.slice(0, 20))
  })
})

describe('a forged cursor in a transaction', () => {
  const pool = connectForTests(url)
  const within = <Result>(work: () => Promise<Result>) => withDatabase(pool, work)
  afterAll(() => pool.destroy())
  const byDate = repository(Sounding, { order: '-at' }).asSystem('test')
  const forged = async (read: (request: CursorRequest) => Promise<CursorPage<{ id: number }>>) => {
    const { next_cursor } = await within(() => read(new CursorRequest(null, 7)))
    const [version, way, madeFor, place] = decodeCursor(next_cursor ?? '', z.array(z.unknown())) ?? []
    const [key, id] = place as string[]
    return [
      ['yesterday-ish', id],
      ['2024-02-31 00:00:00+00', id],
      ['300000-01-01', id],
      [key, 'x'],
      [key, '9'.repeat(40)],
    ].map((values) => encodeCursor([version, way, madeFor, values]))
  }
  const lists = [
    ['a repository', (request: CursorRequest) => byDate.cursorPage(request, { invalidCursor: 'refuse' })],
    ['pageByCursor', byKey(soundings, 'at')],
  ] as const

  it.each(lists)('is refused, and leaves the transaction usable: %s', async (_what, read) => {
    for (const token of await forged(read)) {
      const one = await within(() =>
        inTransaction(async () => {
          await expect(read(new CursorRequest(token, 7))).rejects.toMatchObject({ code: 'invalid_cursor' })
          return database()
            .selectNoFrom(sql<number>`1`.as('one'))
            .executeTakeFirstOrThrow()
        }),
      )
      expect([token, one]).toEqual([token, { one: 1 }])
    }
  })

  it('shows the first page if the list restarts', async () => {
    const [token = ''] = await forged((request) => byDate.cursorPage(request))
    const page = await within(() => inTransaction(() => byDate.cursorPage(new CursorRequest(token, 7))))
    expect(idsOf(page)).toEqual(newestFirst.slice(0, 7))
  })

  it('does not affect valid cursors, of an empty list too', async () => {
    const pages = (request: CursorRequest) =>
      inTransaction(() => byDate.cursorPage(request, { invalidCursor: 'refuse' }))
    expect(await walk((request) => within(() => pages(request)))).toEqual(newestFirst)
    const { next_cursor } = await within(() => pages(new CursorRequest(null, 7)))
    const next = new CursorRequest(next_cursor, 7)
    const both = await within(() => inTransaction(() => Promise.all([pages(next), pages(next)])))
    expect(both.map(idsOf)).toEqual([newestFirst.slice(7, 14), newestFirst.slice(7, 14)])
    const empty = await within(() =>
      inTransaction(async () => {
        await sql`truncate soundings`.execute(database().withoutPlugins())
        const page = await byDate.cursorPage(new CursorRequest(next_cursor, 7), { invalidCursor: 'refuse' })
        throw Object.assign(new Error('Taken back.'), { page })
      }),
    ).catch((error: { page: CursorPage<unknown> }) => error.page)
    expect(empty?.content).toEqual([])
  })
})

describe('keys that are too long for a token', () => {
  beforeEach(async () => {
    await sql`drop table if exists verses`.execute(db)
    await sql`create table verses (id bigint primary key, text text not null, line integer not null, unique (text, line))`.execute(
      db,
    )
    await sql`insert into verses select n, repeat('é', 1500) || (n / 3), n % 3 from generate_series(1, 30) n`.execute(
      db,
    )
  })

  it('continue at the right row if only all keys together are unique', async () => {
    const read = (request: CursorRequest) =>
      pageByCursor(
        database()
          .selectFrom(sql<{ id: number }>`verses`.as('verses'))
          .select('id'),
        request,
        {
          name: 'verses',
          keys: [
            { column: 'text', direction: 'asc' },
            { column: 'line', direction: 'asc' },
          ],
          invalidCursor: 'refuse',
        },
      )
    const { rows } = await sql<{ id: number }>`select id from verses order by text, line`.execute(db)
    expect(await walk(read, 4)).toEqual(rows.map(({ id }) => id))
  })
})
