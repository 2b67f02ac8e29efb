import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PageRequest, pageRequest } from './page-request.ts'
import { toPage } from './page.ts'
import { pagerModel, type PagerModel } from './pager.ts'
import type { PagerOptions } from './pager-links.ts'

const pageOf = (page: number, pages = 20) => toPage([], pages * 20, new PageRequest(page))
const model = (page: number, options: Partial<PagerOptions> = {}) =>
  pagerModel(pageOf(page), { basePath: '/posts', ...options })
const links = ({ previous, slots, next }: PagerModel) => [
  ...[previous.link, next.link].filter((link) => link !== null),
  ...slots.filter((slot) => 'href' in slot),
]
const nextHref = (query: string) => model(1, { query }).next.link?.href

describe('pagerModel', () => {
  it('gives a view the whole pager of a page in the middle', () => {
    expect(model(5)).toEqual({
      id: 'pagination',
      label: 'Pagination',
      previous: { text: 'Previous', link: { href: '/posts?page=4', hx: [] } },
      next: { text: 'Next', link: { href: '/posts?page=6', hx: [] } },
      slots: [
        { href: '/posts?page=1', hx: [], number: 1, text: '1', label: 'Page 1', current: false },
        { gap: 'Pages 2 to 3 not shown' },
        { href: '/posts?page=4', hx: [], number: 4, text: '4', label: 'Page 4', current: false },
        { href: '/posts?page=5', hx: [], number: 5, text: '5', label: 'Page 5', current: true },
        { href: '/posts?page=6', hx: [], number: 6, text: '6', label: 'Page 6', current: false },
        { gap: 'Pages 7 to 19 not shown' },
        { href: '/posts?page=20', hx: [], number: 20, text: '20', label: 'Page 20', current: false },
      ],
    })
  })

  it('disables the ends, both of them on a single page', () => {
    expect([model(1).previous.link, model(20).next.link]).toEqual([null, null])
    expect(pagerModel(pageOf(1, 0), { basePath: '/posts' })).toMatchObject({
      previous: { link: null },
      next: { link: null },
      slots: [{ text: '1', current: true }],
    })
  })

  it('leads from beyond the end back to the last page, and marks none as current', () => {
    const beyond = model(99)
    expect(beyond.previous.link?.href).toBe('/posts?page=20')
    expect(beyond.next.link).toBeNull()
    expect(beyond.slots.filter((slot) => 'current' in slot && slot.current)).toEqual([])
  })

  it('speaks another language where one is given', () => {
    const labels = { previous: 'Précédent', gap: (from: string, to: string) => `${from} à ${to}` }
    const french = model(5, { label: 'Pages des billets', labels })
    expect(french).toMatchObject({
      id: 'pages-des-billets',
      label: 'Pages des billets',
      previous: { text: 'Précédent' },
      next: { text: 'Next' },
    })
    expect(french.slots.slice(0, 2)).toMatchObject([{ label: 'Page 1' }, { gap: '2 à 3' }])
  })

  it('shows as many pages around the current one as asked', () => {
    expect([model(10).slots.length, model(10, { window: 2 }).slots.length]).toEqual([7, 9])
  })

  it.each([
    ['', 'page=2'],
    ['?', 'page=2'],
    ['&&', 'page=2'],
    ['page', 'page=2'],
    ['page=1', 'page=2'],
    ['?page=1&size=5', 'page=2&size=5'],
    ['q=a+b&page=1&size=5', 'q=a+b&page=2&size=5'],
    ['a=1&page=1&b=2&page=7&p%61ge=3', 'a=1&page=2&b=2'],
    ['a=1&p%61ge=3&b=2', 'a=1&page=2&b=2'],
    ['cursor=x&a=1&c%75rsor=y', 'a=1&page=2'],
    ['cursor=x&page=1&a=1', 'page=2&a=1'],
    ['pages=1&mypage=2&page%5B%5D=3&page%=4&Page=5', 'pages=1&mypage=2&page%5B%5D=3&page%=4&Page=5&page=2'],
    ['a=1&?page=9', 'a=1&?page=9&page=2'],
    ['flag&empty=&=x&%zz=%', 'flag&empty=&=x&%zz=%&page=2'],
    ['a=1&&b=2&', 'a=1&b=2&page=2'],
    ['a=1#top', 'a=1%23top&page=2'],
  ])('keeps the query %j but for the page: %j', (query, kept) => {
    expect(nextHref(query)).toBe(`/posts?${kept}`)
  })

  it('keeps every other parameter byte for byte and in order', () => {
    const bytes = Array.from('pageabc=?%+/:;,.~*()[]{}|^"\'<>\\é日 \u{1f600}')
    const unit = fc.constantFrom(...bytes, '%61', '%26', '%3D', '%23', '%E9', 'page=')
    const others = fc.array(
      fc.string({ unit, minLength: 1 }).filter((part) => !/^p(?:a|%61)ge(?:=|$)/.test(part)),
    )
    fc.assert(
      fc.property(others, others, (before, after) => {
        expect(nextHref(`?${[...before, 'page=1', ...after].join('&')}`)).toBe(
          `/posts?${[...before, 'page=2', ...after].join('&')}`,
        )
        expect(nextHref(`?${before.join('&')}`)).toBe(`/posts?${[...before, 'page=2'].join('&')}`)
      }),
    )
  })

  it('links to the page it says, whatever the query was', () => {
    const piece = fc.constantFrom('page', 'cursor', 'p%61ge', '=', '=3', '&', '?', '#', '%', '+', 'size=7')
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 2, max: 20 }), (pieces, page) => {
        const query = pieces.join('')
        const href = model(page - 1, { query }).next.link?.href ?? ''
        const { searchParams, pathname, hash } = new URL(href, 'http://localhost')
        expect([pathname, hash, searchParams.getAll('page')]).toEqual(['/posts', '', [String(page)]])
        expect(searchParams.has('cursor')).toBe(false)
        expect(pageRequest({ originalUrl: href })).toEqual(
          new PageRequest(
            page,
            pageRequest({ originalUrl: `/?${query.replace(/^\?/, '').replace(/#/g, '%23')}` }).size,
          ),
        )
      }),
    )
  })

  it.each(['/', '/posts', '/blogs/7/posts', '/a//b', "/it's", '/a\\b', '/%2F%2Fhost', '/a:b@c'])(
    'accepts the base path %j',
    (basePath) => {
      expect(model(1, { basePath }).next.link?.href).toBe(`${basePath}?page=2`)
    },
  )

  it.each([
    '',
    'posts',
    './posts',
    'javascript:alert(1)',
    'JavaScript:alert(1)//',
    ' /posts',
    'https://example.com/posts',
    '//example.com/posts',
    '/\\example.com/posts',
    '/\t/example.com/posts',
    '/\n\\example.com',
    '//',
    '/posts?draft=1',
    '/posts#list',
  ])('refuses the base path %j and says what to do', (basePath) => {
    expect(() => model(1, { basePath })).toThrow(
      /basePath must be a path on this site.*pass parameters as query/,
    )
  })

  it('gives every link its hx attributes once there is a target', () => {
    const all = links(
      model(5, { hxTarget: '#list', hxSwap: 'outerHTML', hxSelect: '#list', hxPushUrl: true }),
    )
    expect(all).toHaveLength(7)
    for (const { href, hx } of all) {
      expect(hx).toEqual([
        ['hx-get', href],
        ['hx-target', '#list'],
        ['hx-sync', '#list:replace'],
        ['hx-swap', 'outerHTML'],
        ['hx-select', '#list'],
        ['hx-push-url', 'true'],
      ])
    }
  })

  it('adds only the hx attributes that were asked for', () => {
    expect(model(1, { hxTarget: 'body', hxPushUrl: false }).next.link?.hx).toEqual([
      ['hx-get', '/posts?page=2'],
      ['hx-target', 'body'],
      ['hx-sync', 'body:replace'],
    ])
  })

  it('adds none without a target', () => {
    const all = links(model(5, { hxPushUrl: true, hxSwap: 'innerHTML', hxSelect: '#list' }))
    expect(all.flatMap(({ hx }) => hx)).toEqual([])
  })
})
