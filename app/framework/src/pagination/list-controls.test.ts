import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { searchForm, sortHeading, wholeListHref } from './list-controls.ts'
import type { ListState } from './list-state.ts'
import { listHref } from './list-links.ts'
import { PageRequest } from './page-request.ts'
import { toPage } from './page.ts'
import { pageSizeForm } from './pager-forms.ts'
import { pagerModel } from './pager.ts'

const PLAIN = { sort: null, dir: 'desc', q: '', filters: {} } as const
const at = (query = '') => ({ basePath: '/notes', query })

describe('listHref', () => {
  it.each([
    ['', { page: '2' }, '/notes?page=2'],
    ['?', { page: null }, '/notes'],
    ['a=1&page=1&b=2&p%61ge=3', { page: '2' }, '/notes?a=1&page=2&b=2'],
    ['cursor=x&page=1&a=1', { page: '2', cursor: null }, '/notes?page=2&a=1'],
    ['?a=%20+%zz&&flag&x[]=1', { dir: 'asc' }, '/notes?a=%20+%zz&flag&x[]=1&dir=asc'],
    ['a=1#top', { q: 'b&c=d' }, '/notes?a=1%23top&q=b%26c%3Dd'],
    ['__proto__=1&toString=2', { page: '2' }, '/notes?__proto__=1&toString=2&page=2'],
  ])('changes %j with %j to %s', (query, changes, href) => {
    expect(listHref(at(query), changes)).toBe(href)
  })

  it('changes the parameters and keeps the other parameters of any query', () => {
    const piece = fc.constantFrom('page', 'sort', 's%6Frt', '=', '=3', '&', '?', '#', '%', '+', 'size=7')
    fc.assert(
      fc.property(fc.array(piece), fc.string({ unit: 'grapheme' }), (pieces, value) => {
        const before = new URLSearchParams(`&${pieces.join('').replace(/^\?/, '').replaceAll('#', '%23')}`)
        const { searchParams } = new URL(
          listHref(at(pieces.join('')), { sort: value, page: null }),
          'http://x',
        )
        expect(searchParams.getAll('sort')).toEqual([value])
        expect(searchParams.has('page')).toBe(false)
        const others = (params: URLSearchParams) =>
          [...params].filter(([name]) => !['sort', 'page'].includes(name))
        expect(others(searchParams)).toEqual(others(before))
      }),
    )
  })
})

describe('the links of a page', () => {
  it('parse its query once', () => {
    const parse = vi.spyOn(globalThis, 'URLSearchParams')
    const address = { ...at('?size=5&page=5&a=1'), hxTarget: 'body' }
    pagerModel(toPage([], 400, new PageRequest(5, 5)), address)
    sortHeading(PLAIN, 'title', { ...address, label: 'Title' })
    pageSizeForm({ size: 5 }, address)
    const parsed = parse.mock.calls.map(([text]) => text)
    parse.mockRestore()
    expect(parsed).toEqual(['&size=5', '&page=5', '&a=1'])
  })
})

describe('sortHeading', () => {
  it('alternates between ascending and descending order', () => {
    const heading = (sort: string | null, dir: 'asc' | 'desc') =>
      sortHeading({ ...PLAIN, sort, dir }, 'title', { ...at('?page=3&size=5'), label: 'Title' })
    expect(heading(null, 'desc')).toEqual({
      id: 'sort-title',
      label: 'Title',
      number: false,
      sorted: null,
      href: '/notes?size=5&sort=title&dir=asc',
      hx: [],
    })
    expect(heading('title', 'asc')).toMatchObject({
      sorted: 'asc',
      href: '/notes?size=5&sort=title&dir=desc',
    })
    expect(heading('title', 'desc')).toMatchObject({
      sorted: 'desc',
      href: '/notes?size=5&sort=title&dir=asc',
    })
    expect(heading('created_at', 'asc')).toMatchObject({
      sorted: null,
      href: '/notes?size=5&sort=title&dir=asc',
    })
  })

  it('replaces an order by several columns', () => {
    const options = { ...at('?sort=-title,name&page=2'), label: 'Title' }
    const state = { ...PLAIN, sort: 'title', dir: 'desc', thenBy: [{ column: 'name', dir: 'asc' }] } as const
    expect(sortHeading(state, 'title', options)).toMatchObject({
      sorted: 'desc',
      href: '/notes?sort=title&dir=asc',
    })
    expect(sortHeading(state, 'name', options)).toMatchObject({
      sorted: null,
      href: '/notes?sort=name&dir=asc',
    })
  })

  it('keeps the page and the cursor of other lists', () => {
    const options = { ...at('?page=3&notes_page=2&sort=name'), label: 'Title', prefix: 'notes' }
    expect(sortHeading(PLAIN, 'title', options)).toMatchObject({
      id: 'sort-notes_title',
      href: '/notes?page=3&sort=name&notes_sort=title&notes_dir=asc',
    })
  })
})

describe('searchForm', () => {
  const choice = {
    name: 'published',
    label: 'State',
    options: [
      ['', 'All'],
      ['true', 'Published'],
    ],
  } as const

  it('has hidden fields for all parameters except page, cursor and its visible fields', () => {
    const query = '?q=a&published=true&sort=title&size=5&n=1&n=a+%26b&page=3&cursor=x'
    const options = { ...at(query), label: 'Search', filters: [choice], hxTarget: '#list', hxPushUrl: true }
    expect(searchForm({ ...PLAIN, q: 'a', filters: { published: true } }, options)).toEqual({
      id: 'search',
      action: '/notes',
      hx: [
        ['hx-get', '/notes'],
        ['hx-target', '#list'],
        ['hx-sync', '#list:replace'],
        ['hx-swap', 'innerMorph'],
        ['hx-push-url', 'true'],
        ['hx-trigger', "submit, input delay:300ms target:':not([name^=_find_])'"],
      ],
      kept: [
        ['sort', 'title'],
        ['size', '5'],
        ['n', '1'],
        ['n', 'a &b'],
      ],
      label: 'Search',
      words: true,
      name: 'q',
      value: 'a',
      filters: [
        {
          name: 'published',
          label: 'State',
          multiple: false,
          options: [
            { value: '', text: 'All', selected: false },
            { value: 'true', text: 'Published', selected: true },
          ],
          chosen: 'Published',
        },
      ],
      active: 1,
      clear: {
        href: '/notes?sort=title&size=5&n=1&n=a+%26b',
        hx: [
          ['hx-get', '/notes?sort=title&size=5&n=1&n=a+%26b'],
          ['hx-target', '#list'],
          ['hx-sync', '#list:replace'],
          ['hx-push-url', 'true'],
        ],
      },
      texts: {
        from: 'From',
        to: 'To',
        filters: 'Filters',
        done: 'Done',
        clear: 'Clear',
        search: 'Search',
        filter: 'Filter',
        any: 'Any of these',
        all: 'All of these',
        choices: 'Show choices',
        find: 'Find',
        more: 'Search to find more.',
        none: 'Nothing found.',
      },
    })
  })

  it('replaces the entry of the history only for the beginning of a search', () => {
    const entry = (state: ListState, query: string, prefix?: string) => {
      const options = {
        ...at(query),
        label: 'Search',
        hxTarget: '#list',
        hxPushUrl: true,
        ...(prefix && { prefix }),
      }
      return searchForm(state, options).hx.flatMap(([name]) => (name.endsWith('-url') ? [name] : []))
    }
    const search = { ...PLAIN, q: 'a' }
    expect(entry(PLAIN, '?size=5')).toEqual(['hx-push-url'])
    expect(entry(search, '?q=a&size=5')).toEqual(['hx-replace-url'])
    expect(entry({ ...PLAIN, filters: { published: true } }, '?published=true')).toEqual(['hx-replace-url'])
    for (const place of ['page=2', 'cursor=x'])
      expect([place, entry(search, `?q=a&${place}`)]).toEqual([place, ['hx-push-url']])
    expect(entry(search, '?a_q=a&page=2', 'a')).toEqual(['hx-replace-url'])
    expect(entry(search, '?a_q=a&a_page=2', 'a')).toEqual(['hx-push-url'])
  })

  it('has the bounds of a range, with the prefix of its list', () => {
    const state = { ...PLAIN, filters: { size: { from: 2 } } }
    const { filters, kept } = searchForm(state, {
      ...at('?a_size_from=2&a_size_to=x&size_from=1'),
      label: 'Search',
      prefix: 'a',
      filters: [{ name: 'size', label: 'Size', range: 'number' }],
    })
    expect(kept).toEqual([['size_from', '1']])
    expect(filters).toEqual([
      {
        name: 'a_size',
        label: 'Size',
        type: 'number',
        bounds: [
          { label: 'From', name: 'a_size_from', value: '2' },
          { label: 'To', name: 'a_size_to', value: '' },
        ],
        chosen: 'from 2',
      },
    ])
  })

  it('selects each value of a filter with several values, and the bounds of a range', () => {
    const options = [
      ['', 'All'],
      ['1', 'One'],
      ['2', 'Two'],
      ['3', 'Three'],
    ] as const
    const filters = [
      { name: 'state', label: 'State', options, multiple: true },
      { name: 'size_from', label: 'From', options },
      { name: 'size_to', label: 'To', options },
    ]
    const state = { ...PLAIN, filters: { state: ['1', '3'], size: { from: 2 } } }
    const form = searchForm(state, {
      ...at('?state=1&state=3&size_from=2&n_from=1'),
      label: 'Search',
      filters,
    })
    expect(form.kept).toEqual([['n_from', '1']])
    expect(form.active).toBe(2)
    expect(form.filters).toMatchObject([
      { multiple: true, chosen: 'One, Three' },
      { multiple: false, chosen: 'Two' },
      { multiple: false, chosen: '' },
    ])
    const selected = { selected: true }
    expect(
      form.filters.map((filter) => 'options' in filter && filter.options.filter((option) => option.selected)),
    ).toMatchObject([
      [
        { value: '1', ...selected },
        { value: '3', ...selected },
      ],
      [{ value: '2', ...selected }],
      [{ value: '', ...selected }],
    ])
  })

  it('keeps the bounds of a range without a field', () => {
    const query = '?size_from=2&state=1&state=3'
    const state = { ...PLAIN, filters: { state: ['1', '3'], size: { from: 2 } } }
    expect(searchForm(state, { ...at(query), label: 'Search' }).kept).toEqual([
      ['size_from', '2'],
      ['state', '1'],
      ['state', '3'],
    ])
  })

  it('selects the empty option without a filter', () => {
    const form = searchForm(PLAIN, { ...at(), label: 'Search', filters: [choice] })
    expect(form.filters).toMatchObject([{ options: [{ selected: true }, { selected: false }], chosen: '' }])
    expect(form).toMatchObject({ active: 0, clear: null })
  })
})

describe('wholeListHref', () => {
  it('removes the search, the filters, page and cursor, and keeps the other parameters', () => {
    const query = { ...PLAIN, q: 'a', filters: { published: true } }
    expect(wholeListHref(query, at('?q=a&sort=title&published=1&page=3&x=1'))).toBe('/notes?sort=title&x=1')
    const several = { ...PLAIN, filters: { state: ['1', '2'], size: { to: 3 } } }
    expect(wholeListHref(several, at('?state=1&state=2&size_from=x&size_to=3&y=1'))).toBe('/notes?y=1')
    expect(wholeListHref({ ...query, q: '' }, at('?published=1&x=1'))).toBe('/notes?x=1')
    expect(wholeListHref(PLAIN, at('?page=3'))).toBeNull()
  })
})
