import { describe, expect, it } from 'vitest'
import type { CursorPage } from './cursor-page.ts'
import { cursorPagerModel } from './cursor-pager.ts'
import type { PagerOptions } from './pager-links.ts'

const page = (next: string | null, previous: string | null): CursorPage<never> => ({
  content: [],
  size: 20,
  next_cursor: next,
  prev_cursor: previous,
  has_next: next !== null,
  has_previous: previous !== null,
})
const model = (next: string | null, previous: string | null, options: Partial<PagerOptions> = {}) =>
  cursorPagerModel(page(next, previous), { basePath: '/feed', ...options })

describe('cursorPagerModel', () => {
  it('links to the previous and the next page, without page numbers', () => {
    expect(model('n', 'p')).toEqual({
      id: 'pagination',
      label: 'Pagination',
      previous: { text: 'Previous', link: { href: '/feed?cursor=p', hx: [] } },
      next: { text: 'Next', link: { href: '/feed?cursor=n', hx: [] } },
    })
  })

  it('disables a link without a cursor', () => {
    expect(model(null, null)).toMatchObject({ previous: { link: null }, next: { link: null } })
  })

  it('uses the option prevCursor for the previous link', () => {
    expect(model(null, null, { prevCursor: 'mine' }).previous.link?.href).toBe('/feed?cursor=mine')
    expect(model(null, 'p', { prevCursor: 'mine' }).previous.link?.href).toBe('/feed?cursor=mine')
    expect(model(null, 'p', { prevCursor: null }).previous.link?.href).toBe('/feed?cursor=p')
  })

  it.each([
    ['?page=3&size=5', '/feed?size=5&cursor=n'],
    ['a=1&cursor=x&b=%zz&cursor=y&page=2', '/feed?a=1&cursor=n&b=%zz'],
    ['c%75rsor=x&pagefoo=1', '/feed?cursor=n&pagefoo=1'],
  ])('keeps the query %j except page and cursor', (query, href) => {
    expect(model('n', null, { query }).next.link?.href).toBe(href)
  })

  it('escapes a cursor with special characters', () => {
    expect(model('a&page=2 "#', null).next.link?.href).toBe('/feed?cursor=a%26page%3D2%20%22%23')
  })

  it('uses the prefix of one of several lists', () => {
    const query = 'cursor=x&comments_cursor=y&comments_page=1'
    expect(model('n', null, { query, prefix: 'comments' }).next.link?.href).toBe(
      '/feed?cursor=x&comments_cursor=n',
    )
  })

  it('has the same hx attributes as the numbered pager', () => {
    const options = { hxTarget: 'body', hxSwap: 'innerHTML show:top', hxPushUrl: true }
    expect(model('n', null, options).next.link?.hx).toEqual([
      ['hx-get', '/feed?cursor=n'],
      ['hx-target', 'body'],
      ['hx-sync', 'body:replace'],
      ['hx-swap', 'innerHTML show:top'],
      ['hx-push-url', 'true'],
    ])
  })

  it('uses the language of its labels', () => {
    const labels = { pagination: 'Fil', previous: 'Plus récents', next: 'Plus anciens' }
    expect(model('n', null, { labels })).toMatchObject({
      id: 'fil',
      label: 'Fil',
      previous: { text: 'Plus récents' },
      next: { text: 'Plus anciens' },
    })
  })

  it('rejects a base path to another site', () => {
    expect(() => model('n', null, { basePath: '//host' })).toThrow(/path on this site/)
  })
})
