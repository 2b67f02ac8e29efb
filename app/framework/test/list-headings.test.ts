import { join } from 'node:path'
import { Eta } from 'eta'
import { sql } from 'kysely'
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
} from 'pergola'
import { fieldRules } from 'pergola/features'
import { toPage } from 'pergola/pagination'
import { testDatabase } from 'pergola/testing'
import { escapeHtml } from '../src/http/views/html.ts'
import { listHelpers } from '../src/http/views/list-helpers.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

interface KiteTable {
  id: number
  name: string
  weight: number
  state: 'in_air' | 'landed'
  tested: boolean
  flown_on: string
  seen_at: string
}

declare module 'pergola' {
  interface Tables {
    kites: KiteTable
  }
}

const Kite = resource('Kite', {
  table: 'kites',
  input: z.strictObject({}),
  columns: ['name', 'state', 'tested', 'weight', 'flown_on', 'seen_at'],
  sort: ['name', 'weight', 'flown_on'],
  search: ['name'],
  filters: {
    name: field.string(),
    state: filter.several(field.enum(['in_air', 'landed']), { label: 'State' }),
    tested: filter.one(z.stringbool(), { label: 'Tested' }),
    weight: filter.range(field.integer(), { label: 'Weight' }),
    flown_on: filter.range(field.date(), { label: 'Flown on' }),
    seen_at: filter.range(field.datetime(), { label: 'Seen at (UTC)' }),
  },
})
const kites = repository(Kite, {
  policy: policy(
    Kite,
    { canShow: () => true },
    { fields: fieldRules(Kite, { weight: { see: (ctx) => ctx.hasRole('admin') } }) },
  ),
  scope: scope(Kite, { where: (_ctx, is) => is.lit(true) }),
  order: 'flown_on',
})

const database = await testDatabase()
const app = await testApp({ database, resources: [{ repository: kites }, { repository: users }] })
beforeAll(async () => {
  await sql`create table kites (
    id bigint primary key, name text not null, weight integer not null, state text not null, tested boolean not null,
    flown_on date not null, seen_at timestamptz not null)`.execute(database.db)
})

const eta = new Eta({ views: join(import.meta.dirname, '../views'), escapeFunction: escapeHtml })
const guest = app.contextFor(null)
const query = (text: string) => listQuery({ originalUrl: `/kites?${text}` }, Kite)
const pageOf = (text = '') =>
  app.within(() => kites.visibleTo(guest).page(new PageRequest(), { query: query(text) }))
const helpers = (text = '') => listHelpers(eta, { basePath: '/kites', query: text })

/** Returns the columns whose headings say that the list is sorted by them. */
const sortedBy = (list: Parameters<ReturnType<typeof helpers>['sortHeading']>[0]) =>
  ['name', 'weight', 'flown_on'].flatMap((column) => {
    const [, order] = /aria-sort="(\w+)"/.exec(helpers().sortHeading(list, column, { label: column })) ?? []
    return order === undefined ? [] : [`${column} ${order}`]
  })

describe('sortHeading', () => {
  it.each([
    ['', 'flown_on ascending'],
    ['sort=-name', 'name descending'],
    ['sort=name,flown_on', 'name ascending'],
    ['sort=unknown', 'flown_on ascending'],
    // Guests don't see the weight, so the list is not sorted by it.
    ['sort=weight', 'flown_on ascending'],
    ['sort=-weight,-name', 'name descending'],
  ])('describes the order of the rows: ?%s', async (text, expected) => {
    expect(sortedBy(await pageOf(text))).toEqual([expected])
    const byCursor = await app.within(() =>
      kites.visibleTo(guest).cursorPage(new CursorRequest(), { query: query(text) }),
    )
    expect(sortedBy(byCursor)).toEqual([expected])
    expect(sortedBy({ ...byCursor, content: [] })).toEqual([expected])
  })

  it('throws for a page of other rows, and accepts the list query', () => {
    expect(() => sortedBy(toPage([], 0, new PageRequest()))).toThrow(/listQuery\(req, …\)/)
    expect(sortedBy(query('sort=name'))).toEqual(['name ascending'])
    expect(sortedBy(query(''))).toEqual([])
  })
})

describe('searchForm', () => {
  const labels = (form: string) =>
    [...form.matchAll(/<(?:select|fieldset|ul)[^>]* aria-label="([^"]+)"/g)].map(([, label]) => label)

  it('has a control for each filter that has a label, if the caller sees the column', async () => {
    const form = helpers().searchForm(await pageOf(), { label: 'Search' })
    expect(labels(form)).toEqual(['State', 'Tested', 'Flown on', 'Seen at (UTC)'])
    expect(form).toContain('<label><input type="checkbox" name="state" value="in_air"> In air</label>')
    expect(form).toMatch(
      /<option value="" selected>Tested: any<.*\s*.*value="true">Tested: yes<.*\s*.*value="false">Tested: no</,
    )
    expect(form).toContain('<input type="date" name="flown_on_from" value="">')
    expect(form).toContain('<input type="datetime-local" step="any" name="seen_at_to" value="">')
    const admin = app.contextFor(await app.within(() => makeUser({ roles: ['admin'] })))
    const page = await app.within(() => kites.visibleTo(admin).page(new PageRequest()))
    expect(helpers().searchForm(page, { label: 'Search' })).toContain(
      '<input type="number" step="any" name="weight_from"',
    )
  })

  it('omits filters, and shows other ones in place of the declared', async () => {
    const page = await pageOf('q=red&tested=true')
    const form = helpers('?q=red&tested=true').searchForm(page, {
      label: 'Search',
      omit: ['state', 'flown_on'],
    })
    expect(labels(form)).toEqual(['Tested', 'Seen at (UTC)'])
    expect(form).toContain('<option value="true" selected>')
    expect(form).toContain('value="red"')
    const filters = [{ name: 'tested', label: 'Test', options: [['true', 'Oui']] as const }]
    expect(labels(helpers().searchForm(page, { label: 'Search', filters }))).toEqual(['Test'])
  })
})

describe('resource', () => {
  it('throws for a label of a filter whose values are not known', () => {
    const declare = (filters: object) => () =>
      resource('Kite', {
        table: 'kites_again',
        input: z.strictObject({}),
        columns: ['name'],
        filters,
      } as never)
    for (const filters of [
      { name: filter.one(field.string(), { label: 'Name' }) },
      { name: filter.several(field.reference(), { label: 'Name' }) },
      { name: filter.range(z.string(), { label: 'Name' }) },
    ])
      expect(declare(filters)).toThrow("Kite: the control of the filter 'name' is not known. Declare options")
  })
})
