import { join } from 'node:path'
import { Eta } from 'eta'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from '#app/framework/http/html.ts'
import { formatDate } from '#app/framework/http/view-helpers.ts'
import type { Target } from '../model.ts'
import { namesOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { viewFiles } from './view-files.ts'

const target = (name: string, label: string): Target => ({
  names: namesOf(name),
  label,
  id: 'bigint',
  isUser: name === 'user',
  isSelf: false,
})
const existing = {
  targets: [target('user', 'name'), target('contact_person', 'name')],
  references: [],
  tables: new Set<string>(),
  folders: new Set<string>(),
  paths: new Set<string>(),
}

/** A view of what this command line would write, as a page without its layout shows it. */
async function shown(command: string, view: string, data: object): Promise<string> {
  const { model } = readModel(askedBy(command.split(' ')), existing)
  const files = await viewFiles(model)
  const text = files.find(({ path }) => path.endsWith(`/${view}.eta`))?.text ?? ''
  const views = join(import.meta.dirname, '../../../views')
  const eta = new Eta({ views, escapeFunction: escapeHtml })
  const helpers = { formatDate, searchForm: () => '', sortHeading: () => '', wholeListHref: () => null }
  const page = text.replace(/layout\('\/layouts\/main', .*\)/, '').replace(/.*\/partials\/list_footer.*/, '')
  return eta.renderString(page, { ...helpers, may: () => false, ...data })
}

const DEAL =
  'deal title:string contact:references:contact_person second:references:contact_person? ' +
  'seller:references:user --owner none'
const deal = { id: 1, title: 'Hops', contact_id: 71, second_id: 72, seller_id: 73, created_at: '2026-01-02' }
const records = { deal, page: { content: [deal], page: 1 }, query: {} }

describe('viewFiles', () => {
  it.each(['index', 'show'])('shows what a record refers to by its label: %s', async (view) => {
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
    ['index', 0],
    ['show', 2],
  ])('says nothing of what its reader may not see, nor its id: %s', async (view, dashes) => {
    const labels = { contacts: new Map(), seconds: new Map(), sellers: new Map([[73, 'Bo']]) }
    const html = await shown(DEAL, view, { ...records, ...labels })
    expect(html.match(/–/g) ?? []).toHaveLength(dashes)
    expect(html).not.toMatch(/7[12]|contact-people|undefined/)
  })
})
