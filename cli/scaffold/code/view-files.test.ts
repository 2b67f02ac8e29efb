import { join } from 'node:path'
import { Eta } from 'eta'
import { describe, expect, it } from 'vitest'
import { pathTo, publicRoute, routes } from 'pergola'
import { escapeHtml, formatDate, formatMoney, humanize } from 'pergola/app'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import type { Target } from '../field-types/field-type.ts'
import { type Names, namesOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { schemaData } from './schema-code.ts'
import { filesOf } from './files.ts'

const target = (name: string, label: string): Target => ({
  names: namesOf(name),
  label,
  id: 'bigint',
  isUser: name === 'user',
  isSelf: false,
})
const existing = {
  ...EMPTY_PROJECT,
  targets: [target('user', 'name'), target('contact_person', 'name')],
}

function routesOf({ folder }: Names) {
  const route = [publicRoute(), () => undefined] as const
  return routes(`/${folder}`, {
    'GET /': route,
    'GET /new': route,
    'POST /': route,
    'GET /:id': route,
    'GET /:id/edit': route,
    'PUT /:id': route,
    'DELETE /:id': route,
  })
}

/** Renders the generated view of this command line without its layout. */
async function shown(command: string, view: string, data: object): Promise<string> {
  const { model } = readModel(askedBy(command.split(' ')), existing)
  const files = await filesOf(model, { migration: 'create' })
  const text = files.find(({ path }) => path.endsWith(`/${view}.eta`))?.text ?? ''
  const views = join(import.meta.dirname, '../../../views')
  const eta = new Eta({ views, escapeFunction: escapeHtml })
  const helpers = {
    formatDate,
    formatDateTime: formatDate,
    formatMoney,
    time: formatDate,
    excerpt: (text: string, length: number) => text.slice(0, length),
    humanize,
    searchForm: () => '',
    sortHeading: () => '',
    wholeListHref: () => null,
    pathTo,
    [`${model.names.one}Routes`]: routesOf(model.names),
    contactPersonRoutes: routesOf(namesOf('contact_person')),
  }
  const page = text.replace(/layout\('\/layouts\/main', .*\)/, '').replace(/.*\/partials\/list_footer.*/, '')
  return eta.renderString(page, { ...helpers, may: () => false, ...data })
}

const filtersOf = (command: string) => {
  const { options } = schemaData(readModel(askedBy(command.split(' ')), existing).model) as {
    options: string[]
  }
  return options.find((option) => option.startsWith('filters: '))
}

const DEAL =
  'deal title:string contact:references:contact_person second:references:contact_person? ' +
  'seller:references:user --owner none'
const deal = { id: 1, title: 'Hops', contact_id: 71, second_id: 72, seller_id: 73, created_at: '2026-01-02' }
const records = { deal, page: { content: [deal], page: 1 }, query: {} }

describe('the views of filesOf', () => {
  it.each(['index', 'show'])('shows the labels of referenced records: %s', async (view) => {
    const contacts = new Map([[71, 'Ada <a>']])
    const html = await shown(DEAL, view, {
      ...records,
      contacts,
      seconds: new Map(),
      sellers: new Map([[73, 'Bo']]),
    })
    expect(html).toContain('Ada &lt;a&gt;')
    expect(html).toContain('Bo')
  })

  it.each([
    // app.css shows a dash in an empty cell, and hides the cell on a phone.
    ['index', /<td role="cell"><\/td>/g],
    ['show', /–/g],
  ])('shows neither labels nor ids of hidden records: %s', async (view, placeholder) => {
    const labels = { contacts: new Map(), seconds: new Map(), sellers: new Map([[73, 'Bo']]) }
    const html = await shown(DEAL, view, { ...records, ...labels })
    expect(html.match(placeholder) ?? []).toHaveLength(2)
    expect(html).not.toMatch(/7[12]|contact-people|undefined/)
  })

  it.each([
    ['deleted', '', 'Delete “Hops”?', 'Delete for good'],
    ['moved to the trash', ' --soft-delete', 'Move “Hops” to the trash?', 'Move to the trash'],
  ])('asks for confirmation before a record is %s', async (_where, option, question, confirm) => {
    const may = (_record: unknown, action: string) => action === 'delete'
    for (const view of ['index', 'show'])
      expect(await shown(`deal title:string${option}`, view, { ...records, may })).toMatch(
        new RegExp(`>${RegExp.escape(question)}</h2>[^]*<button class="danger">${confirm}</button>`),
      )
  })

  it.each([
    ['published', 'Draft', 'Drafts', 'Only admins see drafts.'],
    ['returned', 'Not returned', 'Not returned', 'Only admins see records that are not returned.'],
    ['is_open', 'Not open', 'Not open', 'Only admins see records that are not open.'],
  ])('names records that are not %s: %s', async (column, one, many, hint) => {
    const command = `deal title:string ${column}:boolean --public-when ${column}`
    const closed = { ...deal, [column]: false }
    const omitted: unknown[] = []
    const searchForm = (_page: object, { omit }: { omit: unknown[] }) => (omitted.push(omit), '')
    const data = { deal: closed, page: { content: [closed], page: 1 }, query: {}, me: {}, searchForm }
    expect(await shown(command, 'show', data)).toContain(`>${one}</small>`)
    expect(await shown(command, 'index', data)).toContain(`>${one}</small>`)
    await shown(command, 'index', { ...data, me: null })
    expect(omitted).toEqual([[], [column]])
    expect(filtersOf(command)).toMatch(
      new RegExp(
        `${column}: filter\\.one\\(z\\.stringbool\\(\\), { label: 'State', options: { true: '.+', false: '${many}' }`,
      ),
    )
    const form = { values: {}, errors: {} }
    expect(await shown(command, '_form', { form })).toContain(hint)
  })

  it.each([
    ['', false],
    [' --version', true],
  ])('includes the version in the form of a versioned resource: %j', async (option, has) => {
    const form = { values: {}, errors: {}, version: 3 }
    const html = await shown(`deal title:string${option}`, '_form', { form })
    expect(html.includes('name="_version"')).toBe(has)
  })

  it('names a record without a label by the beginning of its text in lists', async () => {
    const remark = { id: 7, body: `A remark${' that goes on'.repeat(9)}`, created_at: '2026-01-02' }
    const data = { remark, page: { content: [remark], page: 1 }, query: {} }
    expect(await shown('remark body:text', 'index', data)).toMatch(
      /dir="auto">A remark that goes on[^<]{1,40}<\/a>/,
    )
    expect(await shown('remark body:text', 'show', data)).toContain('>Remark 7</h1>')
  })

  it('shows an enum as words, and sends its value in the form', async () => {
    const command = 'deal title:string state:enum{for_sale,sold}?'
    const sold = { ...deal, state: 'for_sale' }
    const data = { ...records, deal: sold, page: { content: [sold], page: 1 } }
    for (const view of ['index', 'show']) expect(await shown(command, view, data)).toContain('For sale')
    const html = await shown(command, '_form', { form: { values: {}, errors: {} } })
    expect(html).toContain('<option value="for_sale">For sale</option>')
    expect(filtersOf(command)).toContain("filter.several(field.enum(STATES), { label: 'State' })")
  })

  it('shows an amount with its currency, and reads it beside the currency', async () => {
    const command = 'deal title:string price:money(currency) currency:enum{EUR,JPY} fee:money{EUR}?'
    const paid = { ...deal, price: '1050.00', currency: 'JPY', fee: null }
    const data = { ...records, deal: paid, page: { content: [paid], page: 1 } }
    for (const view of ['index', 'show']) expect(await shown(command, view, data)).toContain('¥1,050<')
    const html = await shown(command, '_form', { form: { values: paid, errors: {} } })
    expect(html).toMatch(/<input type="number" value="1050.00"[^>]* step="0.01" inputmode="decimal"/)
    expect(html).toMatch(
      /Fee<\/label> <small id="fee-unit">EUR<\/small>[^]*name="fee" aria-describedby="fee-unit fee-optional"/,
    )
  })
})
