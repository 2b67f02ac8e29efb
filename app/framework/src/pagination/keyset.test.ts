import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { describe, expect, it } from 'vitest'
import { conditionsAfter, type KeyValues, orderText, reversed, type SortKey } from './keyset.ts'

const db = new Kysely<{ t: object }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const written = (keys: SortKey[], values: KeyValues) =>
  conditionsAfter(keys, values).map((condition) => {
    const { sql, parameters } = db.selectFrom('t').where(condition).compile()
    return [sql.replace('select from "t" where ', '').replaceAll('"', ''), ...parameters]
  })

const date: SortKey = { column: 'created_at', direction: 'desc' }
const id: SortKey = { column: 'id', direction: 'desc' }
const status: SortKey = { column: 'status', direction: 'asc' }
const last: SortKey = { column: 'seen_at', direction: 'desc', nulls: 'last' }
const first: SortKey = { column: 'seen_at', direction: 'desc', nulls: 'first' }

describe('conditionsAfter', () => {
  it('returns a comparison for one key', () => {
    expect(written([id], ['7'])).toEqual([['id < $1', '7']])
  })

  it('returns one row comparison for keys in one direction, without casts', () => {
    expect(written([date, id], ['2024-01-01', '7'])).toEqual([
      ['(created_at, id) < ($1, $2)', '2024-01-01', '7'],
    ])
    expect(written(reversed([date, id]), ['2024-01-01', '7'])).toEqual([
      ['(created_at, id) > ($1, $2)', '2024-01-01', '7'],
    ])
  })

  it('returns another range after a change of direction', () => {
    expect(written([status, date, id], ['open', '2024-01-01', '7'])).toEqual([
      ['status = $1 and (created_at, id) < ($2, $3)', 'open', '2024-01-01', '7'],
      ['status > $1', 'open'],
    ])
  })

  it('returns a range for the rows with NULL of a nullable column', () => {
    expect(written([last, id], ['2024-01-01', '7'])).toEqual([
      ['(seen_at, id) < ($1, $2)', '2024-01-01', '7'],
      ['seen_at is null'],
    ])
    expect(written([last, id], [null, '7'])).toEqual([['seen_at is null and id < $1', '7']])
    expect(written([first, id], [null, '7'])).toEqual([
      ['seen_at is null and id < $1', '7'],
      ['seen_at is not null'],
    ])
    expect(written([first, id], ['2024-01-01', '7'])).toEqual([
      ['(seen_at, id) < ($1, $2)', '2024-01-01', '7'],
    ])
  })

  it('begins a row comparison at a nullable column', () => {
    expect(written([{ ...status, direction: 'desc' }, last, id], ['open', '2024-01-01', '7'])).toEqual([
      ['status = $1 and (seen_at, id) < ($2, $3)', 'open', '2024-01-01', '7'],
      ['status = $1 and seen_at is null', 'open'],
      ['status < $1', 'open'],
    ])
  })
})

describe('reversed', () => {
  it('reverses the directions and the position of NULL', () => {
    const keys = [status, last, id]
    expect(orderText(reversed(keys))).toBe('status desc, seen_at asc nulls first, id asc')
    expect(orderText(reversed(reversed(keys)))).toBe(orderText(keys))
  })
})
