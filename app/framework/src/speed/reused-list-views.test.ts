import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { PageRequest } from '../pagination/page-request.ts'
import { toCappedPage, toPage, toUncountedPage } from '../pagination/page.ts'
import type { PagerLanguage } from '../pagination/pager-labels.ts'
import { listHelpers } from '../http/views/list-helpers.ts'
import { listViews, renderListView } from '../http/views/list-views.ts'
import { pagerViews } from '../http/views/pager-views.ts'
import { viewsIn } from '../http/views/views.ts'
import { reusedListView } from './reused-list-views.ts'

listViews.render = reusedListView
const folder = join(import.meta.dirname, '../../views')
const production = viewsIn(folder, { development: false })

const rows = Array.from({ length: 20 }, (_, id) => ({ id }))
const request = new PageRequest(5, 20)
const page = toPage(rows, 400, request)
const pages = [
  page,
  toPage(rows, 401, request),
  toPage(rows.slice(1), 400, request),
  toPage([], 0, new PageRequest()),
  toPage(rows, 400, new PageRequest(5, 20, { default: 20, max: 50 })),
  toCappedPage({ items: rows, hasNext: true }, 400, request),
  toUncountedPage({ items: rows, hasNext: true }, request),
  toUncountedPage({ items: rows, hasNext: false }, request),
]
const swap = { hxTarget: 'body', hxSwap: 'innerHTML', hxPushUrl: true }
const query = { sort: 'title', dir: 'asc', q: '', filters: {} } as const
const range = { name: 'size', label: 'Size', range: 'number' } as const
const choice = { name: 'state', label: 'State', options: [['a', 'A']] } as const

/** Returns the HTML of all controls, for these values of each argument. */
function controls(views: typeof production): string[] {
  const urls = [
    { basePath: '/notes', query: '?size=5' },
    { basePath: '/notes', query: '?size=5&q=%22%3E' },
    { basePath: '/tomes', query: '' },
  ]
  return urls.flatMap((url) => {
    const list = listHelpers(views, url)
    const pager = () => pagerViews(views, url)
    const options = [{}, swap, { prefix: 'own' }, { locale: 'de' }, { window: 2 }, { label: 'Notes' }]
    return [
      ...pages.flatMap((page) =>
        options.flatMap((each) => [
          pager().paginationNav(page, each),
          pager().pageInfo(page, each as PagerLanguage),
          pager().pageSize(page, each),
          pager().pageSize(page, { ...each, sizes: [3, 4] }),
          pager().pageJump(page, each),
        ]),
      ),
      ...[query, { ...query, dir: 'desc' as const }].flatMap((state) => [
        list.sortHeading(state, 'title', { label: 'Title' }),
        list.sortHeading(state, 'title', { label: 'Title', ...swap }),
        list.sortHeading(state, 'created_at', { label: 'Date' }),
      ]),
      ...['', 'wörds', '"><script>'].map((q) => list.searchForm({ ...query, q }, { label: 'Search' })),
      ...[{}, { state: 'a' }, { state: ['a'] }, { size: { from: 1 } }, { size: { to: undefined } }].map(
        (filters) => list.searchForm({ ...query, filters }, { label: 'Search', filters: [range, choice] }),
      ),
    ]
  })
}

describe('reusedListView', () => {
  it('returns the same HTML as without reuse, for all arguments', () => {
    listViews.render = renderListView
    const expected = controls(production)
    listViews.render = reusedListView
    expect(controls(production)).toEqual(expected)
    expect(controls(production)).toEqual(expected)
    expect(new Set(expected).size).toBeGreaterThan(200)
  })

  it('renders equal arguments once', () => {
    const html = () => pagerViews(production, { basePath: '/once', query: '' }).paginationNav(page, swap)
    const render = vi.spyOn(production, 'render')
    const first = html()
    const { length } = render.mock.calls
    expect(length).toBeGreaterThan(0)
    expect(html()).toBe(first)
    expect(render).toHaveBeenCalledTimes(length)
  })

  it('renders in the labels of each call, which are functions', () => {
    const info = (text: string) =>
      pagerViews(production, { basePath: '/notes', query: '' }).pageInfo(page, {
        labels: { info: ({ total }) => `${text} ${total}` },
      })
    expect([info('von'), info('de')]).toEqual([
      expect.stringContaining('von 400'),
      expect.stringContaining('de 400'),
    ])
  })

  it('renders filters with bigints', () => {
    const { searchForm } = listHelpers(production, { basePath: '/notes', query: '' })
    const filters = { size: { from: 2n ** 60n } } as never
    expect(searchForm({ ...query, filters }, { label: 'Search', filters: [range] })).toContain(
      `value="${2n ** 60n}"`,
    )
  })

  it('renders long arguments again', () => {
    const { searchForm } = listHelpers(production, { basePath: '/notes', query: `?x=${'y'.repeat(1_000)}` })
    const render = vi.spyOn(production, 'render')
    for (let call = 0; call < 2; call++) expect(searchForm(query, { label: 'Search' })).toContain('yyy')
    expect(render).toHaveBeenCalledTimes(2)
  })
})
