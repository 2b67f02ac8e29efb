import { join } from 'node:path'
import { Eta } from 'eta'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from './html.ts'
import { listHelpers } from './list-helpers.ts'

const eta = new Eta({
  views: join(import.meta.dirname, '../../views'),
  autoTrim: false,
  escapeFunction: escapeHtml,
})
const views = listHelpers(eta, { basePath: '/notes', query: '?state=a&size_from=1' })
const query = { sort: null, dir: 'desc', q: '', filters: { state: ['a'], size: { from: 1 } } } as const

describe('searchForm', () => {
  it('renders a select of several values for a filter that accepts them', () => {
    const options = [
      ['a', 'A'],
      ['b', 'B'],
    ] as const
    const form = (multiple: boolean) =>
      views.searchForm(query, {
        label: 'Search',
        filters: [{ name: 'state', label: 'State', options, multiple }],
      })
    expect(form(true)).toContain('<select name="state" aria-label="State" multiple>')
    expect(form(false)).toContain('<select name="state" aria-label="State">')
    expect(form(true)).toContain('<option value="a" selected>A</option>')
    expect(form(true)).toContain('<option value="b">B</option>')
    expect(form(true)).toContain('<input type="hidden" name="size_from" value="1">')
  })
})
