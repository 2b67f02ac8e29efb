import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PageRequest, pageRequest } from './page-request.ts'
import { type Page, toPage, type UncountedPage } from './page.ts'
import { pagerModel } from './pager.ts'
import type { PagerOptions } from './pager-links.ts'

const pageOf = (page: number, pages = 20) => toPage([], pages * 20, new PageRequest(page))
const model = (page: number, options: Partial<PagerOptions> = {}) =>
  pagerModel(pageOf(page), { basePath: '/notes', ...options })
const capped = (page: number): Page<number> => ({
  ...toPage([1], 10_000, new PageRequest(page)),
  total_is_capped: true,
  has_next: true,
})
const uncounted = (page: number): UncountedPage<number> => ({
  content: [1],
  page,
  size: 20,
  has_next: true,
  has_previous: page > 1,
})
const links = ({ previous, slots, next }: ReturnType<typeof pagerModel>) => [
  ...[previous.link, next.link].filter((link) => link !== null),
  ...slots.filter((slot) => 'href' in slot),
]
const nextHref = (query: string) => model(1, { query }).next.link?.href

describe('pagerModel', () => {
  it('returns all template data for a page in the middle', () => {
    expect(model(5)).toEqual({
      id: 'pagination',
      label: 'Pagination',
      hx: [],
      previous: { text: 'Previous', link: { href: '/notes?page=4', hx: [] } },
      next: { text: 'Next', link: { href: '/notes?page=6', hx: [] } },
      last: '20',
      slots: [
        { href: '/notes?page=1', hx: [], number: 1, text: '1', label: 'Page 1', current: false },
        { gap: 'Pages 2 to 3 not shown' },
        { href: '/notes?page=4', hx: [], number: 4, text: '4', label: 'Page 4', current: false },
        { href: '/notes?page=5', hx: [], number: 5, text: '5', label: 'Page 5', current: true },
        { href: '/notes?page=6', hx: [], number: 6, text: '6', label: 'Page 6', current: false },
        { gap: 'Pages 7 to 19 not shown' },
        { href: '/notes?page=20', hx: [], number: 20, text: '20', label: 'Page 20', current: false },
      ],
    })
  })

  it('disables the previous link on the first page and the next link on the last', () => {
    expect([model(1).previous.link, model(20).next.link]).toEqual([null, null])
    expect(pagerModel(pageOf(1, 0), { basePath: '/notes' })).toMatchObject({
      previous: { link: null },
      next: { link: null },
      slots: [{ text: '1', current: true }],
    })
  })

  it('links from beyond the end to the last page, and marks no page as current', () => {
    const beyond = model(99)
    expect(beyond.previous.link?.href).toBe('/notes?page=20')
    expect(beyond.next.link).toBeNull()
    expect(beyond.slots.filter((slot) => 'current' in slot && slot.current)).toEqual([])
  })

  it('uses the language of its labels', () => {
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

  it('uses the digits of the language in texts, but not in URLs', () => {
    const labels = {
      pagination: 'ترقيم الصفحات',
      previous: 'السابق',
      next: 'التالي',
      page: (page: string) => `الصفحة ${page}`,
    }
    const arabic = pagerModel(pageOf(5, 1234), { basePath: '/notes', locale: 'ar-EG', labels })
    expect(arabic.label).toBe('ترقيم الصفحات')
    expect(arabic.previous.text).toBe('السابق')
    expect(arabic.slots.slice(2, 4)).toMatchObject([
      { text: '٤', label: 'الصفحة ٤', href: '/notes?page=4' },
      { text: '٥', label: 'الصفحة ٥', href: '/notes?page=5' },
    ])
    expect(arabic.slots.at(-1)).toMatchObject({ number: 1234, text: '١٬٢٣٤', href: '/notes?page=1234' })
    expect(pagerModel(pageOf(1, 1234), { basePath: '/notes', locale: 'fr' }).slots.at(-1)).toMatchObject({
      text: '1\u202f234',
    })
  })

  it('shows as many adjacent pages as the option window', () => {
    expect([model(10).slots.length, model(10, { window: 2 }).slots.length]).toEqual([7, 9])
  })

  it('shows 500+ at the cap', () => {
    const slots = pagerModel(capped(3), { basePath: '/notes' }).slots
    expect(slots.at(-1)).toMatchObject({ text: '500+', label: 'Page 500+', href: '/notes?page=500' })
    expect(slots.filter((slot) => 'text' in slot && slot.text.includes('+'))).toHaveLength(1)
    const last = pagerModel(capped(500), { basePath: '/notes' })
    expect(last.slots.at(-1)).toMatchObject({ text: '500+', current: true })
    expect(last.next.link?.href).toBe('/notes?page=501')
    expect(
      pagerModel(capped(3), { basePath: '/notes', labels: { capped: (n) => `über ${n}` } }).slots.at(-1),
    ).toMatchObject({ text: 'über 500' })
  })

  it('links to pages beyond the cap', () => {
    const beyond = pagerModel(capped(600), { basePath: '/notes' })
    expect(beyond.slots.map((slot) => ('gap' in slot ? slot.gap : slot.text))).toEqual([
      '1',
      'Pages 2 to 598 not shown',
      '599',
      '600',
      '601',
      'More pages may follow',
    ])
    expect(beyond.slots[3]).toMatchObject({ current: true })
    expect([beyond.previous.link?.href, beyond.next.link?.href]).toEqual([
      '/notes?page=599',
      '/notes?page=601',
    ])
    const end = pagerModel({ ...capped(600), has_next: false }, { basePath: '/notes' })
    expect([end.slots.length, end.slots.at(-1), end.next.link]).toMatchObject([
      4,
      { text: '600', current: true },
      null,
    ])
  })

  it('links from an empty page beyond the cap to the last known page', () => {
    const empty = pagerModel({ ...capped(9999), content: [], has_next: false }, { basePath: '/notes' })
    expect(empty.previous.link?.href).toBe('/notes?page=500')
    expect(empty.slots.at(-1)).toMatchObject({ text: '500+', current: false })
  })

  it('shows no last page without a count', () => {
    const first = pagerModel(uncounted(1), { basePath: '/notes' })
    expect(first.slots).toMatchObject([
      { text: '1', current: true },
      { text: '2' },
      { gap: 'More pages may follow' },
    ])
    expect(first.previous.link).toBeNull()
    const fifth = pagerModel(uncounted(5), { basePath: '/notes' })
    expect(fifth.slots.map((slot) => ('gap' in slot ? '…' : slot.text)).join(' ')).toBe('1 … 4 5 6 …')
    expect([fifth.previous.link?.href, fifth.next.link?.href]).toEqual(['/notes?page=4', '/notes?page=6'])
    const last = pagerModel({ ...uncounted(5), has_next: false }, { basePath: '/notes' })
    expect([last.slots.at(-1), last.next.link]).toMatchObject([{ text: '5', current: true }, null])
    const empty = pagerModel({ ...uncounted(9), content: [], has_next: false }, { basePath: '/notes' })
    expect(empty.slots.filter((slot) => 'current' in slot && slot.current)).toEqual([])
    expect(empty.slots.at(-1)).toMatchObject({ text: '8' })
  })

  it('omits page=1 from the first link with omitFirstPage', () => {
    const hrefs = (options: Partial<PagerOptions>) =>
      links(model(2, { omitFirstPage: true, ...options })).map(({ href }) => href)
    expect(hrefs({})[0]).toBe('/notes')
    expect(hrefs({}).filter((href) => href === '/notes')).toHaveLength(2)
    expect(hrefs({})[1]).toBe('/notes?page=3')
    expect(hrefs({ query: '?a=1&page=2&b' })[0]).toBe('/notes?a=1&b')
    expect(links(model(2, { omitFirstPage: true, hxTarget: '#list' }))[0]?.hx[0]).toEqual([
      'hx-get',
      '/notes',
    ])
  })

  it('uses the prefix of one of several lists, and keeps the pages of the others', () => {
    const query = 'page=4&comments_page=2&cursor=x&comments_cursor=y&comments_size=5&size=9'
    expect(model(2, { query, prefix: 'comments' }).next.link?.href).toBe(
      '/notes?page=4&comments_page=3&cursor=x&comments_size=5&size=9',
    )
    expect(model(4, { query }).next.link?.href).toBe(
      '/notes?page=5&comments_page=2&comments_cursor=y&comments_size=5&size=9',
    )
  })

  it.each(['', 'a b', 'a&b', 'a=', 'é'])('rejects the prefix %j', (prefix) => {
    expect(() => model(1, { prefix })).toThrow(/Use letters, digits, - and _/)
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
  ])('keeps the query %j except the page: %j', (query, kept) => {
    expect(nextHref(query)).toBe(`/notes?${kept}`)
  })

  it('keeps the order and the encoding of the other parameters', () => {
    const bytes = Array.from('pageabc=?%+/:;,.~*()[]{}|^"\'<>\\é日 \u{1f600}')
    const unit = fc.constantFrom(...bytes, '%61', '%26', '%3D', '%23', '%E9', 'page=')
    const others = fc.array(
      fc.string({ unit, minLength: 1 }).filter((part) => !/^p(?:a|%61)ge(?:=|$)/.test(part)),
    )
    fc.assert(
      fc.property(others, others, (before, after) => {
        expect(nextHref(`?${[...before, 'page=1', ...after].join('&')}`)).toBe(
          `/notes?${[...before, 'page=2', ...after].join('&')}`,
        )
        expect(nextHref(`?${before.join('&')}`)).toBe(`/notes?${[...before, 'page=2'].join('&')}`)
      }),
    )
  })

  it('links to the page number that it shows, for any query', () => {
    const piece = fc.constantFrom('page', 'cursor', 'p%61ge', '=', '=3', '&', '?', '#', '%', '+', 'size=7')
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 2, max: 20 }), (pieces, page) => {
        const query = pieces.join('')
        const href = model(page - 1, { query }).next.link?.href ?? ''
        const { searchParams, pathname, hash } = new URL(href, 'http://localhost')
        expect([pathname, hash, searchParams.getAll('page')]).toEqual(['/notes', '', [String(page)]])
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

  it.each(['/', '/notes', '/blogs/7/notes', '/a//b', "/it's", '/a\\b', '/%2F%2Fhost', '/a:b@c'])(
    'accepts the base path %j',
    (basePath) => {
      expect(model(1, { basePath }).next.link?.href).toBe(`${basePath}?page=2`)
    },
  )

  it.each([
    '',
    'notes',
    './notes',
    'javascript:alert(1)',
    'JavaScript:alert(1)//',
    ' /notes',
    'https://example.com/notes',
    '//example.com/notes',
    '/\\example.com/notes',
    '/\t/example.com/notes',
    '/\n\\example.com',
    '//',
    '/notes?draft=1',
    '/notes#list',
  ])('rejects the base path %j', (basePath) => {
    expect(() => model(1, { basePath })).toThrow(/not a path on this site.*pass parameters as query/)
  })

  it('adds hx attributes to every link if hxTarget is set', () => {
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
        ['hx-status:4xx', 'target:body select:null swap:"innerHTML show:top"'],
        ['hx-status:5xx', 'target:body select:null swap:"innerHTML show:top"'],
      ])
    }
  })

  it('returns the hx attributes that links inherit, which are all except hx-get', () => {
    const options = { hxTarget: '#list', hxSwap: 'outerHTML', hxSelect: '#list', hxPushUrl: true }
    const { hx, next } = model(5, options)
    const [, ...shared] = next.link?.hx ?? []
    expect(hx).toEqual(shared.map(([name, value]) => [`${name}:inherited`, value]))
    expect(hx).toHaveLength(7)
    expect(model(5, { hxPushUrl: true }).hx).toEqual([])
  })

  it('adds only the hx attributes whose options are set', () => {
    expect(model(1, { hxTarget: 'body', hxPushUrl: false }).next.link?.hx).toEqual([
      ['hx-get', '/notes?page=2'],
      ['hx-target', 'body'],
      ['hx-sync', 'body:replace'],
    ])
  })

  it('adds no hx attributes without hxTarget', () => {
    const all = links(model(5, { hxPushUrl: true, hxSwap: 'innerHTML', hxSelect: '#list' }))
    expect(all.flatMap(({ hx }) => hx)).toEqual([])
  })
})
