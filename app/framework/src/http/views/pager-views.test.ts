import { join } from 'node:path'
import { Eta } from 'eta'
import { describe, expect, it } from 'vitest'
import { PageRequest } from '../../pagination/page-request.ts'
import { toPage } from '../../pagination/page.ts'
import { escapeHtml } from './html.ts'
import { pagerViews } from './pager-views.ts'

const eta = new Eta({
  views: join(import.meta.dirname, '../../../views'),
  autoTrim: false,
  escapeFunction: escapeHtml,
})
const views = (query = '?size=5') => pagerViews(eta, { basePath: '/notes', query })
const page = toPage([1], 400, new PageRequest(5, 20))
const rows = {
  content: [1],
  size: 5,
  next_cursor: 'n',
  prev_cursor: null,
  has_next: true,
  has_previous: false,
}
const hostile = `"'\`><script>alert(1)</script>&amp;`
const squeeze = (html: string) => html.replace(/\s+/g, ' ').replace(/ ?(<|>) ?/g, '$1')

describe('pagerViews', () => {
  it('renders the previous and next links of a cursor page, and a disabled link as text', () => {
    expect(squeeze(views().cursorPaginationNav(rows))).toBe(
      '<nav class="pager" aria-label="Pagination"><ul>' +
        '<li><span aria-disabled="true">Previous</span></li>' +
        '<li><a id="pagination-next" rel="next" href="/notes?size=5&amp;cursor=n">Next</a></li></ul></nav>',
    )
  })

  it('renders complete forms, with a label for each field', () => {
    const size = squeeze(views('?q=x&page=3').pageSize(page))
    expect(size).toContain('<form class="inline" method="get" action="/notes">')
    expect(size).toContain('<input type="hidden" name="q" value="x">')
    expect(size).toContain(
      '<label for="pagination-size">Per page</label><select id="pagination-size" name="size">',
    )
    expect(size).toContain('<option value="20" selected>20</option>')
    const jump = squeeze(views('?q=x&page=3').pageJump(page))
    expect(jump).toContain(
      '<label for="pagination-jump">Go to page</label><input id="pagination-jump" name="page"',
    )
    expect(jump).toContain('type="number" min="1" max="20" required')
  })

  it('renders no maximum if the total is unknown', () => {
    expect(views().pageJump({ ...page, total_is_capped: true })).not.toContain('max=')
  })

  it('renders the info line, or nothing for an empty page', () => {
    expect(squeeze(views().pageInfo(page))).toBe('<p class="meta">81 of 400</p>')
    expect(views().pageInfo(toPage([], 0, new PageRequest()))).toBe('')
  })

  it('renders the link to the next items, or nothing at the end', () => {
    const html = squeeze(views('').loadMore(rows, { list: 'feed', auto: true }))
    expect(html).toMatch(/^<li class="more" id="feed-more" hx-get="[^"]+"[^>]* hx-trigger="revealed">/)
    expect(html).toMatch(
      /<a class="button" id="feed-more-link" rel="next" href="\/notes\?cursor=n" hx-get=[^>]*>Load more<\/a>/,
    )
    expect(html).not.toContain('push-url')
    expect(views().loadMore({ ...rows, next_cursor: null }, { list: 'feed' })).toBe('')
  })

  it('throws for two pagers with the same label', () => {
    const { paginationNav, cursorPaginationNav } = views()
    paginationNav(page)
    expect(() => paginationNav(page)).toThrow('Two pagers on this page have the label “Pagination”')
    expect(() => paginationNav(page, { label: 'pagination' })).toThrow('have the label “pagination”')
    expect(() => cursorPaginationNav(rows)).toThrow('Set another label for one of them')
    expect(paginationNav(page, { label: 'Below the list' })).toContain('id="below-the-list-next"')
    expect(views().paginationNav(page)).toContain('aria-label="Pagination"')
  })

  it('renders unique ids for pagers above and below a list', () => {
    const { paginationNav, pageSize, pageJump } = views()
    const html = ['Above the list', 'Below the list']
      .flatMap((label) => [
        paginationNav(page, { label }),
        pageSize(page, { label }),
        pageJump(page, { label }),
      ])
      .join('')
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(18)
    expect(new Set(ids).size).toBe(18)
  })

  it('escapes all texts and parameters', () => {
    const labels = {
      previous: hostile,
      next: hostile,
      size: hostile,
      changeSize: hostile,
      jump: hostile,
      go: hostile,
      loadMore: hostile,
      info: () => hostile,
    }
    const hx = { hxTarget: hostile, hxSwap: hostile, hxSelect: hostile, label: hostile, labels }
    const { cursorPaginationNav, pageSize, pageJump, loadMore, pageInfo } = views(`?${hostile}=${hostile}`)
    const html = [
      cursorPaginationNav(rows, hx),
      pageSize(page, hx),
      pageJump(page, hx),
      loadMore(rows, { list: hostile, labels, auto: true }),
      pageInfo(page, { labels }),
    ].join('')
    expect(html).not.toMatch(/<script|['`]/)
    expect(
      html
        .match(/<[a-z]+/g)
        ?.every((tag) => /^<(?:nav|ul|li|a|span|form|input|label|select|option|button|p)$/.test(tag)),
    ).toBe(true)
  })
})
