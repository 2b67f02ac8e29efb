import { join } from 'node:path'
import { Eta } from 'eta'
import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, filter, policy, publicRoute, repository, resource, routes, scope } from 'pergola'
import { type JoinedIds, joinTable, withFilterChoices } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { escapeHtml } from '../src/http/views/html.ts'
import { pageHelpers } from '../src/http/views/render.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    flavours: { id: Generated<number>; name: string; secret: Generated<boolean> }
    sauces: {
      id: Generated<number>
      title: string
      state: string
      flavour_ids: JoinedIds
      base_ids: JoinedIds
      version: Generated<number>
    }
    sauce_flavours: { sauce_id: number; flavour_id: number }
  }
}

const Flavour = resource('Flavour', {
  table: 'flavours',
  label: 'name',
  input: z.strictObject({ name: field.string(), secret: field.boolean().default(false) }),
})
const flavours = repository(Flavour, {
  policy: policy(Flavour, { canShow: () => true }),
  scope: scope(Flavour, {
    where: (ctx, is) => (ctx.hasRole('admin') ? is.lit(true) : is('secret', '=', false)),
  }),
})

const flavoured = joinTable('sauce_flavours', { own: 'sauce_id', other: 'flavour_id' })
const Sauce = resource('Sauce', {
  table: 'sauces',
  label: 'title',
  input: z.strictObject({
    title: field.string(),
    state: field.enum(['hot', 'mild']),
    flavour_ids: field.references().default([]),
    base_ids: field.references().default([]),
  }),
  references: { flavour_ids: Flavour, base_ids: Flavour },
  joins: { flavour_ids: flavoured, base_ids: flavoured },
  sort: ['title'],
  search: ['title'],
  filters: {
    state: filter.several(field.enum(['hot', 'mild']), { label: 'State' }),
    flavour_ids: filter.several(field.reference(), { label: 'Flavours' }),
    base_ids: filter.all(field.reference(), { label: 'Bases' }),
  },
  version: true,
})
const sauces = repository(Sauce, {
  policy: policy(Sauce, { canShow: () => true }),
  scope: scope(Sauce, { where: (_ctx, is) => is.lit(true) }),
})

const views = new Eta({
  views: join(import.meta.dirname, '../views'),
  autoTrim: false,
  escapeFunction: escapeHtml,
})
const sauceRoutes = routes('/sauces', {
  'GET /': [
    publicRoute(),
    async (req, res) => {
      const { page } = await withFilterChoices(req, Sauce, await sauces.pageFor(req))
      const { searchForm, paginationNav } = pageHelpers(req, views)
      const titles = page.content.map(({ title }) => title)
      const form = searchForm(page, { label: 'Search', hxTarget: 'body' })
      res.json({ titles, form, pager: paginationNav(page, {}) })
    },
  ],
  'GET /without': [
    publicRoute(),
    async (req, res) => {
      const { page } = await sauces.pageFor(req)
      res.json(pageHelpers(req, views).searchForm(page, { label: 'Search' }))
    },
  ],
})

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [
    { repository: sauces, routes: { sauceRoutes } },
    { repository: flavours },
    { repository: users },
  ],
})
const [member, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
/** A flavour that all see, and one that only admins see. */
let [basil, secret] = [0, 0]
const UNKNOWN = 999_999

beforeAll(async () => {
  await sql`create table flavours (id bigint generated always as identity (start 70001) primary key, name text not null,
    secret boolean not null default false)`.execute(database.db)
  await sql`create table sauces (id bigint generated always as identity primary key, title text not null,
    state text not null, version integer not null default 1)`.execute(database.db)
  await sql`create table sauce_flavours (sauce_id bigint not null references sauces on delete cascade,
    flavour_id bigint not null references flavours on delete cascade, primary key (sauce_id, flavour_id))`.execute(
    database.db,
  )
  await app.within(async () => {
    const names = [{ name: 'Basil' }, { name: 'Ancho <b>' }, { name: 'Mole', secret: true }]
    const [first = 0, , third = 0] = await flavours.asSystem('a test').saveMany(names)
    ;[basil, secret] = [first, third]
    await sauces.asSystem('a test').saveMany([
      { title: 'Pesto', state: 'mild', flavour_ids: [basil] },
      { title: 'Poblano', state: 'hot', flavour_ids: [secret] },
    ])
  })
})

interface Shown {
  titles: string[]
  form: string
  pager: string
}

async function list(query: string, client = member) {
  database.statements.length = 0
  const { titles, form, pager } = (await client.get(`/sauces?${query}`)).json() as Shown
  const panel = (column: string) =>
    new RegExp(`<details[^>]*id="search-${column}"[^]*?</details>`).exec(form)?.[0] ?? ''
  const flavourStatements = database.statements.filter((text) => /from "flavours"/.test(text))
  return {
    titles,
    form,
    pager,
    panel,
    sent: flavourStatements.filter((text) => !/"sauces"/.test(text)).length,
  }
}
const options = (html: string) =>
  [...html.matchAll(/value="(\d+)"( checked)?> <span dir="auto">([^<]*)</g)].map(
    ([, , checked, text]) => `${text}${checked ?? ''}`,
  )

describe('the search form with a filter by a list of ids', () => {
  it('costs no statement until the user opens it', async () => {
    const { form, panel, sent } = await list('sort=title')
    expect(sent).toBe(0)
    expect(form).not.toContain('name="flavour_ids"')
    const link = panel('flavour_ids')
    expect(link).toContain('<summary>Flavours</summary>')
    expect(link).toContain('href="/sauces?sort=title&amp;_choices=flavour_ids#search-flavour_ids"')
    expect(link).toContain(
      'hx-get="/sauces?sort=title&amp;_choices=flavour_ids" hx-trigger="click, intersect once"',
    )
    expect(link).not.toContain(' open')
  })

  it('offers the records that the caller sees, after one statement', async () => {
    const { panel, sent } = await list('_choices=flavour_ids')
    expect(sent).toBe(1)
    expect(options(panel('flavour_ids'))).toEqual(['Ancho &lt;b&gt;', 'Basil'])
    expect(panel('flavour_ids')).toMatch(/<details[^>]* open>/)
    expect(panel('flavour_ids')).not.toContain('_find_')
    expect(options(panel('base_ids'))).toEqual([])
    const { panel: ofAdmin } = await list('_choices=flavour_ids', admin)
    expect(options(ofAdmin('flavour_ids'))).toEqual(['Ancho &lt;b&gt;', 'Basil', 'Mole'])
  })

  it('shows the chosen records, and keeps the order, the search and the other filters', async () => {
    const { titles, form, panel, sent } = await list(
      `flavour_ids=${basil}&state=mild&state=hot&q=p&sort=title&size=5&page=1`,
    )
    expect([titles, sent]).toEqual([['Pesto'], 1])
    expect(panel('flavour_ids')).toContain('<summary class="active">Flavours: Basil</summary>')
    expect(panel('flavour_ids')).toContain('<small>Any of these</small>')
    expect(options(panel('flavour_ids'))).toEqual(['Basil checked'])
    expect(form.match(/type="hidden" name="[^"]*" value="[^"]*"/g)).toEqual([
      'type="hidden" name="sort" value="title"',
      'type="hidden" name="size" value="5"',
    ])
    expect(panel('state')).toMatch(/value="hot" checked[^]*value="mild" checked/)
  })

  it('has the chosen records first, in the list of all', async () => {
    const { panel } = await list(`_choices=base_ids&base_ids=${basil}`)
    expect(options(panel('base_ids'))).toEqual(['Basil checked', 'Ancho &lt;b&gt;'])
    expect(panel('base_ids')).toContain('<small>All of these</small>')
  })

  it('finds rows with all of the records', async () => {
    expect((await list(`base_ids=${basil}`)).titles).toEqual(['Pesto'])
    expect((await list(`base_ids=${basil}&base_ids=${secret}`, admin)).titles).toEqual([])
  })

  it.each(['', '_choices=flavour_ids&'])('shows a hidden record like a missing one (%s)', async (open) => {
    const hidden = await list(`${open}flavour_ids=${secret}`)
    const missing = await list(`${open}flavour_ids=${UNKNOWN}`)
    expect(hidden.titles).toEqual([])
    expect(options(hidden.panel('flavour_ids'))[0]).toBe('(not found) checked')
    const of = ({ titles, form, pager }: Shown, id: number) =>
      JSON.stringify({ titles, form, pager }).replaceAll(String(id), 'id')
    expect(of(hidden, secret)).toBe(of(missing, UNKNOWN))
    expect((await list(`flavour_ids=${secret}`, admin)).form).toContain('Flavours: Mole')
  })

  it('does not keep its own parameters in links and forms', async () => {
    const { form, pager } = await list('size=1&_choices=flavour_ids&_find_flavour_ids=bas')
    expect(pager).toContain('href="/sauces?size=1&amp;page=2"')
    expect(form).not.toContain('type="hidden" name="_')
    expect(form.match(/href="[^"]*_choices[^"]*"/g)).toEqual([
      'href="/sauces?size=1&amp;_choices=base_ids#search-base_ids"',
    ])
  })

  it('needs withFilterChoices', async () => {
    expect((await app.guest.get('/sauces/without')).status).toBe(500)
  })
})

describe('a filter by one of many records', () => {
  beforeAll(() =>
    app.within(() =>
      flavours
        .asSystem('a test')
        .saveMany(Array.from({ length: 25 }, (_, index) => ({ name: `Chili ${10 + index}` }))),
    ),
  )

  it('is a search with the first 20, and the chosen ones', async () => {
    const { panel, sent } = await list(`_choices=flavour_ids&flavour_ids=${basil}&flavour_ids=${UNKNOWN}`)
    expect(sent).toBe(2)
    const shown = options(panel('flavour_ids'))
    expect([shown.length, shown.slice(0, 4)]).toEqual([
      21,
      ['Basil checked', '(not found) checked', 'Ancho &lt;b&gt;', 'Chili 10'],
    ])
    expect(panel('flavour_ids')).toContain('Search to find more.')
    expect(panel('flavour_ids')).toContain('<input type="search" name="_find_flavour_ids" value=""')
  })

  it('finds records, and keeps the chosen ones', async () => {
    const { panel, form } = await list(
      `_choices=flavour_ids&flavour_ids=${basil}&_find_flavour_ids=${encodeURIComponent(' CHILI 2 ')}`,
    )
    const shown = options(panel('flavour_ids'))
    expect(shown[0]).toBe('Basil checked')
    expect(shown.slice(1).every((text) => /^Chili.*2/.test(text))).toBe(true)
    expect(shown.length).toBeGreaterThan(10)
    expect(panel('flavour_ids')).toMatch(/name="_find_flavour_ids" value="CHILI 2"[^>]* autofocus/)
    // Enter in a field presses the first button of the form.
    expect(/<button[^>]*>/.exec(form)?.[0]).toContain('name="_choices" value="flavour_ids"')
  })

  it('says that nothing was found', async () => {
    const { panel } = await list('_choices=flavour_ids&_find_flavour_ids=nothing')
    expect(options(panel('flavour_ids'))).toEqual([])
    expect(panel('flavour_ids')).toContain('Nothing found.')
  })

  it.each([
    '_choices=title',
    '_choices=__proto__',
    '_choices[]=flavour_ids',
    '_find_flavour_ids=%00&_choices=flavour_ids',
    '_find_state=x',
  ])('ignores %s', async (query) => {
    const { titles } = await list(query)
    expect(titles).toHaveLength(2)
  })

  it('shortens the text of many chosen records', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `flavour_ids=${basil + index}`).join('&')
    const { panel } = await list(ids, admin)
    expect(panel('flavour_ids')).toMatch(/<summary class="active">Flavours: [^,]*, [^,]*, [^,+]* \+2</)
  })
})
