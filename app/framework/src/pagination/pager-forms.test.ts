import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PageRequest, pageRequest } from './page-request.ts'
import { toCappedPage, toPage, toUncountedPage } from './page.ts'
import { pageJumpForm, pageSizeForm } from './pager-forms.ts'

const page = toPage([1], 400, new PageRequest(5, 20))
const here = { basePath: '/notes', query: '?q=a+b%26c&page=5&flag&size=20&cursor=x&q=2' }

describe('pageSizeForm', () => {
  it('has hidden fields for all parameters except size, page and cursor', () => {
    expect(pageSizeForm(page, here)).toEqual({
      id: 'pagination-size',
      action: '/notes',
      hx: [],
      name: 'size',
      label: 'Per page',
      submit: 'Show',
      kept: [
        ['q', 'a b&c'],
        ['flag', ''],
        ['q', '2'],
      ],
      sizes: [
        { value: 10, text: '10', selected: false },
        { value: 20, text: '20', selected: true },
        { value: 50, text: '50', selected: false },
        { value: 100, text: '100', selected: false },
      ],
    })
  })

  it('offers the sizes of the option and the current size', () => {
    const { sizes } = pageSizeForm({ size: 7 }, { ...here, sizes: [25, 5] })
    expect(sizes).toMatchObject([{ value: 5 }, { value: 7, selected: true }, { value: 25 }])
  })

  it.each([
    [{ default: 50, max: 200 }, 50, [10, 20, 50, 100, 200]],
    [{ default: 25, max: 30 }, 25, [10, 20, 25, 30]],
    [{ default: 20, max: 20 }, 20, [10, 20]],
    [{ max: 5 }, 5, [5]],
    [{ max: 1_000 }, 20, [10, 20, 50, 100, 200, 500, 1_000]],
  ])('offers the sizes of a list with the page sizes %j', (pageSize, size, expected) => {
    const request = pageRequest({ originalUrl: '/notes' }, { pageSize })
    const slice = { items: [], hasNext: false }
    for (const made of [
      toPage([], 400, request),
      toCappedPage(slice, 100, request),
      toUncountedPage(slice, request),
    ]) {
      const { sizes } = pageSizeForm(made, here)
      expect(sizes.map(({ value }) => value)).toEqual(expected)
      expect(sizes.find(({ selected }) => selected)?.value).toBe(size)
    }
  })

  it('uses the prefix of one of several lists', () => {
    const query = 'page=2&size=5&comments_page=3&comments_size=9'
    const { name, kept } = pageSizeForm(page, { ...here, query, prefix: 'comments' })
    expect([name, kept]).toEqual([
      'comments_size',
      [
        ['page', '2'],
        ['size', '5'],
      ],
    ])
  })

  it('has the hx attributes of the links, and is submitted by a choice', () => {
    const hx = { hxTarget: '#list', hxSelect: '#list', hxSwap: 'outerHTML', hxPushUrl: true }
    expect(pageSizeForm(page, { ...here, ...hx }).hx).toEqual([
      ['hx-get', '/notes'],
      ['hx-target', '#list'],
      ['hx-sync', '#list:replace'],
      ['hx-swap', 'outerHTML'],
      ['hx-select', '#list'],
      ['hx-push-url', 'true'],
      ['hx-status:4xx', 'target:body select:null swap:"innerHTML show:top"'],
      ['hx-status:5xx', 'target:body select:null swap:"innerHTML show:top"'],
      ['hx-trigger', 'submit, change'],
    ])
  })

  it('keeps the other parameters, except for lone surrogates', () => {
    const others = fc.array(
      fc
        .tuple(fc.stringMatching(/^[a-z#&=%+é ]{1,5}$/), fc.string())
        .filter(([name]) => !/^(page|size|cursor)$/.test(name)),
    )
    fc.assert(
      fc.property(others, (pairs) => {
        const { kept } = pageSizeForm(page, {
          ...here,
          query: `?size=3&${new URLSearchParams(pairs).toString()}&page=2`,
        })
        // URLSearchParams encodes lone surrogates as a browser does.
        expect(kept).toEqual([...new URLSearchParams(new URLSearchParams(pairs).toString())])
      }),
    )
  })

  it('uses the labels of another language', () => {
    const labels = { pagination: 'الصفحات', size: 'لكل صفحة', changeSize: 'عرض' }
    const arabic = pageSizeForm(page, { ...here, labels, locale: 'ar-EG' })
    expect(arabic).toMatchObject({ id: 'الصفحات-size', label: 'لكل صفحة', submit: 'عرض' })
    expect(arabic.sizes[0]).toMatchObject({ value: 10, text: '١٠' })
  })

  it('rejects a base path to another site', () => {
    expect(() => pageSizeForm(page, { basePath: 'https://example.com/' })).toThrow(/path on this site/)
  })
})

describe('pageJumpForm', () => {
  it('has a hidden field for the size, and the last page as the maximum', () => {
    expect(pageJumpForm(page, here)).toMatchObject({
      id: 'pagination-jump',
      name: 'page',
      label: 'Go to page',
      submit: 'Go',
      max: 20,
      kept: [
        ['q', 'a b&c'],
        ['flag', ''],
        ['size', '20'],
        ['q', '2'],
      ],
    })
  })

  it('has no maximum if the last page is unknown', () => {
    expect(pageJumpForm({ ...page, total_is_capped: true }, here).max).toBeNull()
    const { content, size, has_next, has_previous } = page
    expect(pageJumpForm({ content, page: 5, size, has_next, has_previous }, here).max).toBeNull()
  })

  it('has a different id for each pager', () => {
    expect(pageJumpForm(page, { ...here, label: 'Above the list' }).id).toBe('above-the-list-jump')
  })
})
