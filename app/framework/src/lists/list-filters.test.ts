import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  CursorRequest,
  field,
  filter,
  listQuery,
  PageRequest,
  policy,
  repository,
  resource,
  scope,
  withDatabase,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { testApp } from '../../test/fixtures/test-app.ts'
import { users } from '../../test/fixtures/user.ts'
import { listSource } from './list-source.ts'

interface PamphletTable {
  id: Generated<number>
  state: string
  copies: number | null
  weight: number
  printed_on: string | null
  price: string
  created_at: string
}

declare module 'pergola' {
  interface Tables {
    pamphlets: PamphletTable
  }
}

const NONE = z.literal('none').transform(() => null)

const Pamphlet = resource('Pamphlet', {
  table: 'pamphlets',
  input: z.strictObject({}),
  columns: ['copies', 'created_at', 'price', 'printed_on', 'state', 'weight'],
  sort: ['state'],
  filters: {
    state: filter.several(field.enum(['draft', 'in_print', 'sold_out'])),
    copies: filter.several(z.union([NONE, z.coerce.number()])),
    weight: filter.range(z.coerce.number()),
    printed_on: filter.range(field.date()),
    price: filter.range(field.decimal()),
    created_at: filter.range(field.datetime()),
  },
})

const database = await testDatabase()
const { db } = database
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const pamphlets = repository(Pamphlet, {
  api: '/api/pamphlets',
  policy: policy(Pamphlet, { canShow: () => true }),
  scope: scope(Pamphlet, { where: (_ctx, is) => is.lit(true) }),
  order: '-created_at',
})
const all = pamphlets.asSystem('test')
const query = (text: string) => listQuery({ originalUrl: `/pamphlets?${text}` }, Pamphlet)
const ids = async (text: string) =>
  (await within(() => all.findAll({ query: query(text) }))).map(({ id }) => id).toSorted((a, b) => a - b)

beforeAll(async () => {
  await sql`
    create table pamphlets (
      id bigint primary key generated always as identity,
      state text not null, copies integer, weight double precision not null, printed_on date,
      price numeric(10, 2) not null, created_at timestamptz not null
    )`.execute(db)
  await sql`
    insert into pamphlets (state, copies, weight, printed_on, price, created_at) values
      ('draft', null, 0.5, null, 1, '2026-04-01T00:00Z'),
      ('in_print', 10, 1.5, '2026-04-10', 2.50, '2026-04-10T12:00:00.000001Z'),
      ('in_print', 20, 2, '2026-04-20', 10, '2026-04-20T00:00Z'),
      ('sold_out', 30, 3, '2026-04-30', 100, '2026-04-30T00:00Z')`.execute(db)
})

describe('listQuery', () => {
  it.each([
    ['state=draft&state=in_print', { state: ['draft', 'in_print'] }],
    ['state=draft', { state: ['draft'] }],
    ['state=draft&state=draft', { state: ['draft'] }],
    ['state=draft&state=nothing&state=&state=%00', { state: ['draft'] }],
    ['state=nothing', {}],
    ['state[]=draft', {}],
    ['state=draft,in_print', {}],
    ['copies=none&copies=10&copies=x', { copies: [null, 10] }],
    ['printed_on_from=2026-04-10', { printed_on: { from: '2026-04-10' } }],
    ['printed_on_to=2026-04-10', { printed_on: { to: '2026-04-10' } }],
    ['weight_from=1&weight_to=2', { weight: { from: 1, to: 2 } }],
    // The last valid value is used.
    ['weight_from=1&weight_from=2&weight_from=heavy', { weight: { from: 2 } }],
    ['printed_on_from=2026-02-30&printed_on_to=2026-04-10', { printed_on: { to: '2026-04-10' } }],
    ['printed_on_from=&printed_on_to=soon', {}],
    ['printed_on=2026-04-10', {}],
    ['state_from=draft', {}],
    ['created_at_from=2026-04-10', {}],
  ])('reads %s as %j', (text, filters) => {
    expect(query(text).filters).toEqual(filters)
  })

  it('reads the filters of one of several lists', () => {
    const req = { originalUrl: '/?state=draft&a_state=in_print&a_weight_to=2&weight_from=1' }
    expect(listQuery(req, Pamphlet, { prefix: 'a' }).filters).toEqual({
      state: ['in_print'],
      weight: { to: 2 },
    })
  })

  it('returns frozen values', () => {
    const { state, weight } = query('state=draft&weight_from=1').filters
    expect([Object.isFrozen(state), Object.isFrozen(weight)]).toEqual([true, true])
  })
})

describe('a filter with several values', () => {
  it.each([
    ['state=draft&state=sold_out', [1, 4]],
    ['state=in_print', [2, 3]],
    ['state=nothing', [1, 2, 3, 4]],
    ['copies=10&copies=30', [2, 4]],
    ['copies=none', [1]],
    ['copies=none&copies=20', [1, 3]],
    ['state=in_print&copies=none&copies=20', [3]],
    // Numbers beyond the range of the column match no row and cause no error.
    ['copies=10&copies=2147483648&copies=1e300&copies=1.5', [2]],
  ])('%s returns the rows %j', async (text, expected) => {
    expect(await ids(text)).toEqual(expected)
  })

  it('matches no rows if a handler passes an empty list', async () => {
    const none = { ...query(''), filters: { state: [] } }
    await within(async () => {
      expect(await all.findAll({ query: none })).toEqual([])
      expect(await all.count({ query: none })).toBe(0)
      expect((await all.page(new PageRequest(), { query: none })).content).toEqual([])
      expect((await all.cursorPage(new CursorRequest(), { query: none })).content).toEqual([])
      const drafts = query('state=draft')
      expect(await all.findAll({ query: drafts, where: (is) => is('id', 'in', []) })).toEqual([])
    })
  })
})

describe('a range', () => {
  it.each([
    ['weight_from=1.5', [2, 3, 4]],
    ['weight_to=1.5', [1, 2]],
    ['weight_from=1.5&weight_to=2', [2, 3]],
    ['weight_from=3&weight_to=1', []],
    ['weight_from=1e300', []],
    ['price_from=2.50&price_to=10', [2, 3]],
    ['printed_on_from=2026-04-20', [3, 4]],
    ['printed_on_from=2026-04-10&printed_on_to=2026-04-20', [2, 3]],
    ['created_at_from=2026-04-10T12:00Z&created_at_to=2026-04-20T00:00Z', [2, 3]],
    ['created_at_to=2026-04-10T12:00Z', [1]],
    // As the API prints the row's value.
    ['created_at_from=2026-04-10T12:00:00.000001Z&created_at_to=2026-04-10T12:00:00.000001Z', [2]],
    ['state=in_print&weight_to=1.5', [2]],
    ['weight_from=heavy', [1, 2, 3, 4]],
  ])('%s returns the rows %j', async (text, expected) => {
    expect(await ids(text)).toEqual(expected)
  })

  it('without bounds matches all rows', async () => {
    const open = { ...query(''), filters: { weight: {} } }
    expect(await within(() => all.count({ query: open }))).toBe(4)
  })
})

describe('the API', () => {
  it('filters by several values and ranges, and keeps them in its links', async () => {
    const app = await testApp({ database, resources: [{ repository: pamphlets }, { repository: users }] })
    const read = async (path: string) => {
      const { json, headers } = await app.guest.get(path)
      const { content } = json() as { content: { id: number }[] }
      const [, next = null] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
      return { ids: content.map(({ id }) => id), next }
    }
    const path = '/api/pamphlets?state=in_print&state=sold_out&weight_to=2&weight_from=1&size=1'
    for (const start of [path, `${path}&cursor=`]) {
      const one = await read(start)
      expect(one).toMatchObject({ ids: [3], next: expect.stringContaining(path) as string })
      expect(await read(one.next ?? '')).toEqual({ ids: [2], next: null })
    }
    expect((await app.guest.get('/api/pamphlets?state=x&weight_from=y')).status).toBe(400)
  })
})

describe('filterText', () => {
  it('differs if the values or the bounds differ', async () => {
    const source = listSource(Pamphlet, (is) => is.lit(true))
    const lists = ['', 'state=draft', 'state=draft&state=in_print', 'weight_from=1', 'weight_to=1']
    const texts = await within(() =>
      Promise.resolve(lists.map((text) => source.filterText({ query: query(text) }))),
    )
    expect(new Set(texts).size).toBe(lists.length)
  })
})

describe('resource', () => {
  const declare = (filters: object) => () =>
    resource('Leaflet', {
      table: 'pamphlets',
      input: z.strictObject({}),
      columns: ['weight', 'weight_to', 'page', 'size'],
      hidden: ['price'],
      filters,
    } as never)

  it('throws if two filters read the same parameter', () => {
    expect(declare({ weight: filter.range(z.number()), weight_to: z.string() })).toThrow(
      'Leaflet: two filters read ?weight_to=.',
    )
  })

  it('throws for hidden columns and for names of list parameters', () => {
    expect(declare({ price: filter.range(z.string()) })).toThrow(`no row contains 'price'`)
    expect(declare({ page: filter.several(z.string()) })).toThrow('?page= is a parameter of every list')
    // The parameters of a range named `size` are `size_from` and `size_to`: the next check fails.
    expect(declare({ size: filter.range(z.number()) })).toThrow('Pamphlet (pamphlets) already exists')
  })
})
