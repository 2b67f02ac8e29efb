import { join } from 'node:path'
import { Eta } from 'eta'
import type { Generated } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, filter, listQuery, resource } from 'pergola'
import { escapeHtml } from './html.ts'
import { listHelpers } from './list-helpers.ts'

const eta = new Eta({
  views: join(import.meta.dirname, '../../../views'),
  autoTrim: false,
  escapeFunction: escapeHtml,
})
const views = listHelpers(eta, { basePath: '/notes', query: '?state=a&size_from=1' })
declare module 'pergola' {
  interface Tables {
    parcels: { id: Generated<number>; size: number }
  }
}

const Parcel = resource('Parcel', {
  table: 'parcels',
  input: z.strictObject({}),
  columns: ['size'],
  filters: { size: filter.range(field.integer()) },
})

const query = { sort: null, dir: 'desc', q: '', filters: { state: ['a'], size: { from: 1 } } } as const

describe('sortHeading', () => {
  it('aligns the heading of numbers to the end', () => {
    const heading = (number: boolean) => views.sortHeading(query, 'size', { label: 'Size', number })
    expect(heading(true)).toContain('scope="col" class="number">')
    expect(heading(false)).toContain('scope="col">')
  })
})

describe('searchForm', () => {
  it('renders a checkbox for each value of a filter that accepts several', () => {
    const options = [
      ['a', 'A'],
      ['b', 'B'],
    ] as const
    const form = (multiple: boolean) =>
      views.searchForm(query, {
        label: 'Search',
        filters: [{ name: 'state', label: 'State', options, multiple }],
      })
    expect(form(true)).toContain('<summary class="active">State: A</summary>')
    expect(form(true)).toContain('<ul aria-label="State">')
    expect(form(true)).toContain('<label><input type="checkbox" name="state" value="a" checked> A</label>')
    expect(form(true)).toContain('<label><input type="checkbox" name="state" value="b"> B</label>')
    expect(form(false)).toContain('<select name="state" aria-label="State" class="active">')
    expect(form(false)).toContain('<option value="a" selected>A</option>')
    expect(form(true)).toContain('<input type="hidden" name="size_from" value="1">')
  })

  it('renders an input for each bound of a range, in place of its hidden fields', () => {
    const moment = '2026-04-27T14:30:00.000000Z'
    const form = views.searchForm(
      { ...query, filters: { size: { from: 1 }, seen_at: { to: moment } } },
      {
        label: 'Search',
        filters: [
          { name: 'size', label: 'Size', range: 'number' },
          { name: 'due', label: 'Due', range: 'date' },
          { name: 'seen_at', label: 'Seen at (UTC)', range: 'datetime-local' },
        ],
      },
    )
    expect(form).toContain('<fieldset aria-label="Size">')
    expect(form).toContain('<label>From <input type="number" step="any" name="size_from" value="1"></label>')
    expect(form).toContain('<label>To <input type="number" step="any" name="size_to" value=""></label>')
    expect(form).toContain('<label>From <input type="date" name="due_from" value=""></label>')
    expect(form).toContain('type="datetime-local" step="any" name="seen_at_to" value="2026-04-27T14:30">')
    expect(form).toContain('<summary class="active">Seen at (UTC): to 2026-04-27 14:30</summary>')
    expect(form).toContain('<summary>Due</summary>')
    expect(form).not.toContain('type="hidden" name="size_from"')
  })

  it('renders the inputs of a range with the labels of another language', () => {
    const filters = [{ name: 'size', label: 'Taille', range: 'number' }] as const
    const form = views.searchForm(query, { label: 'Chercher', filters, labels: { from: 'de', to: 'à' } })
    expect(form).toContain('<label>de <input type="number" step="any" name="size_from"')
    expect(form).toContain('<label>à <input type="number" step="any" name="size_to"')
  })

  it.each([undefined, 'a'])('renders the parameters that listQuery reads (with the prefix %s)', (prefix) => {
    const state = { ...query, filters: { size: { from: 1, to: 2 } } }
    const form = listHelpers(eta, { basePath: '/parcels', query: '' }).searchForm(state, {
      label: 'Search',
      filters: [{ name: 'size', label: 'Size', range: 'number' }],
      ...(prefix !== undefined && { prefix }),
    })
    const sent = new URLSearchParams()
    for (const [, name = '', value = ''] of form.matchAll(/name="(\w+)" value="(\d+)"/g))
      sent.set(name, value)
    const originalUrl = `/parcels?${sent.toString()}`
    expect(sent.size).toBe(2)
    expect(listQuery({ originalUrl }, Parcel, prefix === undefined ? {} : { prefix }).filters).toEqual(
      state.filters,
    )
  })
})
