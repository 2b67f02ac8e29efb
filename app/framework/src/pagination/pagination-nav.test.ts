import { join } from 'node:path'
import { Eta } from 'eta'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from '../http/views/html.ts'
import { PageRequest, pageRequest } from './page-request.ts'
import { toPage } from './page.ts'
import { pagerModel } from './pager.ts'
import type { PagerOptions } from './pager-links.ts'

const views = join(import.meta.dirname, '../../views')
const eta = new Eta({ views, autoTrim: false, escapeFunction: escapeHtml })

const render = (page: number, options: Partial<PagerOptions> = {}, total = 400) => {
  const model = pagerModel(toPage([], total, new PageRequest(page)), { basePath: '/notes', ...options })
  return eta.render('/partials/pagination_nav', model)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' }
const unescape = (text: string) =>
  text.replace(/&([^;]+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

// Escaped values contain no quotes and no angle brackets, so these patterns can parse the HTML.
const attributes = (tag: string) =>
  Object.fromEntries(
    [...tag.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, name, value = '']) => [name, unescape(value)]),
  )
const links = (html: string) =>
  [...html.matchAll(/<a( [^>]*)>([^<]*)<\/a>/g)].map(([, tag = '', text]) => ({ text, ...attributes(tag) }))
/** Returns the attributes that the links inherit from the <nav>. */
const inherited = (html: string) =>
  attributes((/<nav[^>]*>/.exec(html)?.[0] ?? '').replaceAll(':inherited', ''))
const squeeze = (html: string) => html.replace(/>\s+</g, '><').replace(/<\/?ul>/g, '')
const items = (html: string) => [...squeeze(html).matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => item)

/** Returns a query without page and cursor. */
const rest = (href: string) =>
  href
    .replace(/^[^?]*\?/, '')
    .split('&')
    .filter((part) => part !== '' && !/^(?:page|cursor)=/.test(part))
    .join('&')

describe('pagination_nav.eta', () => {
  it('renders a nav with a label and one list, which contains only list items', () => {
    const html = render(5, { label: 'Pages of notes' }).trim()
    expect(html).toMatch(/^<nav class="pager" aria-label="Pages of notes">\s*<ul>\s*<li>/)
    expect(html).toMatch(/<\/li>\s*<\/ul>\s*<\/nav>$/)
    expect(html.match(/<\/?(?:nav|ul)\b/g)).toHaveLength(4)
    expect(html.replace(/<li>.*?<\/li>/gs, '').match(/<ul>\s*<\/ul>/)).not.toBeNull()
    expect(items(html)).toHaveLength(9)
  })

  it('links every page that it shows, and marks the current page', () => {
    expect(links(render(5))).toEqual([
      { text: 'Previous', id: 'pagination-previous', rel: 'prev', href: '/notes?page=4' },
      { text: '1', id: 'pagination-page-1', href: '/notes?page=1', 'aria-label': 'Page 1' },
      { text: '4', id: 'pagination-page-4', href: '/notes?page=4', 'aria-label': 'Page 4' },
      {
        text: '5',
        id: 'pagination-page-5',
        href: '/notes?page=5',
        'aria-label': 'Page 5',
        'aria-current': 'page',
        'data-last': '20',
      },
      { text: '6', id: 'pagination-page-6', href: '/notes?page=6', 'aria-label': 'Page 6' },
      { text: '20', id: 'pagination-page-20', href: '/notes?page=20', 'aria-label': 'Page 20' },
      { text: 'Next', id: 'pagination-next', rel: 'next', href: '/notes?page=6' },
    ])
  })

  it('hides the dots of a gap from screen readers, and names the omitted pages instead', () => {
    expect(items(render(1))[6]).toBe(
      '<span aria-hidden="true">…</span><span class="visually-hidden">Pages 6 to 19 not shown</span>',
    )
  })

  it('disables the ends without making them focusable', () => {
    const single = items(render(1, {}, 0))
    expect(single[0]).toBe('<span aria-disabled="true">Previous</span>')
    expect(single[1]).toContain('aria-current="page"')
    expect(single[2]).toBe('<span aria-disabled="true">Next</span>')
    expect(items(render(20, { hxTarget: 'body' })).at(-1)).toBe('<span aria-disabled="true">Next</span>')
  })

  it('marks no page as current beyond the end', () => {
    const html = render(99)
    expect(html).not.toContain('aria-current')
    expect(links(html)[0]).toMatchObject({ text: 'Previous', href: '/notes?page=20' })
  })

  it('renders the hx attributes of every link, and none without hxTarget', () => {
    const html = render(5, { hxTarget: '#list', hxSwap: 'innerHTML show:top', hxPushUrl: true, query: 'a=1' })
    const shared = { 'hx-target': '#list', 'hx-swap': 'innerHTML show:top', 'hx-push-url': 'true' }
    const all = links(html) as Record<string, string>[]
    const ends = all.filter(({ rel }) => rel !== undefined)
    expect([all.length, ends.length]).toEqual([7, 2])
    for (const link of all) expect(link['hx-get']).toBe(link.href)
    for (const end of ends) expect(end).toMatchObject(shared)
    expect(inherited(html)).toMatchObject(shared)
    expect(render(5, { hxPushUrl: true })).not.toContain('hx-')
  })

  it('renders different ids for pagers with different labels', () => {
    const ids = [render(5, { label: 'Above the list' }), render(5, { label: 'Below the list' })]
      .flatMap((html) => links(html) as Record<string, string>[])
      .map(({ id }) => id)
    expect(new Set(ids).size).toBe(14)
  })

  it('escapes all texts and parameters', () => {
    const hostile = `"'\`><script>alert(1)</script>&amp;`
    const html = render(5, {
      basePath: `/${hostile}`,
      query: `q=${hostile}`,
      hxTarget: hostile,
      hxSwap: hostile,
      hxSelect: hostile,
      label: hostile,
      labels: { previous: hostile, next: hostile, page: () => hostile, gap: () => hostile },
    })
    expect(html).not.toMatch(/<script|['`]/)
    expect(html.match(/<\/?[a-z]+/g)?.every((tag) => /^<\/?(?:nav|ul|li|a|span)$/.test(tag))).toBe(true)
    expect(links(html)).toHaveLength(7)
    expect(inherited(html)).toMatchObject({ 'hx-target': hostile, 'hx-select': hostile })
    expect(links(html)[0]).toMatchObject({
      href: `/${hostile}?q=${hostile}&page=4`,
      'hx-target': hostile,
      'hx-select': hostile,
    })
  })

  it('links each page once, and keeps the other parameters', () => {
    const value = fc.stringMatching(/^[a-z0-9%+=.é]{0,6}$/)
    const param = fc.tuple(fc.constantFrom('q', 'size', 'a%20b', 'pages', 'page', 'cursor'), value)
    const params = fc.array(
      param.map(([name, text]) => `${name}=${text}`),
      { maxLength: 6 },
    )
    const place = fc
      .integer({ min: 1, max: 5000 })
      .chain((last) => fc.tuple(fc.integer({ min: 1, max: last }), fc.constant(last)))
    fc.assert(
      fc.property(params, place, (parts, [page, last]) => {
        const query = parts.join('&')
        const all = links(render(page, { query, hxTarget: '#list' }, last * 20)) as Record<string, string>[]
        const numbered = all.filter((link) => link['aria-label'])
        expect(new Set(numbered.map(({ text }) => text)).size).toBe(numbered.length)
        expect(numbered.filter((link) => link['aria-current'])).toMatchObject([
          { text: page.toLocaleString('en') },
        ])
        for (const link of all) {
          const { href = '' } = link
          expect(link['hx-get']).toBe(href)
          expect(rest(href)).toBe(rest(`?${query}`))
        }
        for (const { text = '', href = '' } of numbered) {
          const request = pageRequest({ originalUrl: href })
          expect(request.page).toBe(Number(text.replaceAll(',', '')))
          expect(request.size).toBe(pageRequest({ originalUrl: `?${query}` }).size)
        }
      }),
    )
  })

  it('renders a gap with an empty label', () => {
    expect(items(render(5, { labels: { gap: () => '' } }))).toHaveLength(9)
  })
})
