import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkHeader } from './link-header.ts'
import { PageRequest } from './page-request.ts'
import { toCappedPage, toPage, toUncountedPage } from './page.ts'

const address = (query = '') => ({ basePath: '/api/notes', query })
const items = [1]

/** Returns the page of each link by its relation. */
const linksOf = (header: string) =>
  Object.fromEntries(
    [...header.matchAll(/<([^<>]*)>; rel="(\w+)"/g)].map(([, href = '', rel = '']) => [rel, href] as const),
  )
const pagesOf = (header: string) =>
  Object.fromEntries(
    Object.entries(linksOf(header)).map(([rel, href]) => [
      rel,
      Number(new URL(href, 'http://localhost').searchParams.get('page')),
    ]),
  )

describe('linkHeader', () => {
  it('returns a list of links with their relations', () => {
    expect(linkHeader(toPage(items, 100, new PageRequest(2)), address())).toBe(
      '</api/notes?page=1>; rel="first", </api/notes?page=1>; rel="prev", ' +
        '</api/notes?page=3>; rel="next", </api/notes?page=5>; rel="last"',
    )
  })

  it.each([
    ['the first', toPage(items, 100, new PageRequest(1)), { first: 1, next: 2, last: 5 }],
    ['the last', toPage(items, 100, new PageRequest(5)), { first: 1, prev: 4, last: 5 }],
    ['the only page', toPage(items, 1, new PageRequest(1)), { first: 1, last: 1 }],
    ['an empty list', toPage([], 0, new PageRequest(1)), { first: 1, last: 1 }],
    ['a page beyond the end', toPage([], 100, new PageRequest(9)), { first: 1, prev: 5, last: 5 }],
    [
      'a capped page',
      toCappedPage({ items, hasNext: true }, 100, new PageRequest(2)),
      { first: 1, prev: 1, next: 3 },
    ],
    [
      'a page beyond the cap',
      toCappedPage({ items, hasNext: true }, 100, new PageRequest(9)),
      { first: 1, prev: 8, next: 10 },
    ],
    [
      'an empty page beyond the cap',
      toCappedPage({ items: [], hasNext: false }, 100, new PageRequest(9)),
      { first: 1, prev: 5 },
    ],
    [
      'an uncounted page',
      toUncountedPage({ items, hasNext: true }, new PageRequest(3)),
      { first: 1, prev: 2, next: 4 },
    ],
  ])('has the expected links for %s', (_what, page, expected) => {
    expect(pagesOf(linkHeader(page, address()))).toEqual(expected)
  })

  it('links to the next and previous cursor pages that exist', () => {
    const page = {
      content: items,
      size: 20,
      has_next: true,
      has_previous: true,
      next_cursor: 'n_-',
      prev_cursor: 'p',
    }
    expect(linksOf(linkHeader(page, address('?cursor=old&size=5&page=3')))).toEqual({
      prev: '/api/notes?cursor=p&size=5',
      next: '/api/notes?cursor=n_-&size=5',
    })
    expect(linkHeader({ ...page, next_cursor: null, prev_cursor: null }, address())).toBe('')
  })

  it('keeps the encoding of the other parameters', () => {
    const query = '?size=5&q=a+b%20c&p%61ge=2&flag&sort=title&%zz=%&x[]=1&cursor=c'
    const { next } = linksOf(linkHeader(toPage(items, 100, new PageRequest(2, 5)), address(query)))
    expect(next).toBe('/api/notes?size=5&q=a+b%20c&page=3&flag&sort=title&%zz=%&x[]=1')
  })

  it('encodes commas, at which clients split the header', () => {
    const header = linkHeader(toPage(items, 100, new PageRequest(2)), address('?q=a,b%2Cc&tags=,'))
    expect(header.split(',')).toHaveLength(4)
    expect(linksOf(header)['next']).toBe('/api/notes?q=a%2Cb%2Cc&tags=%2C&page=3')
  })

  it('returns an empty string if the header would be too long', () => {
    const page = toPage(items, 100, new PageRequest(2))
    expect(linkHeader(page, address(`?q=${'x'.repeat(900)}`))).toContain('rel="last"')
    expect(linkHeader(page, address(`?q=${'x'.repeat(1_000)}`))).toBe('')
  })

  it('returns a valid header for any path and query', () => {
    const hostile = fc.array(
      fc.oneof(
        fc.constantFrom(
          '>; rel="next"',
          '\r\n',
          'Set-Cookie: a=b',
          '"',
          '<',
          ',',
          ';',
          'page=',
          '&',
          '?',
          '#',
          '\u{1f600}',
          '\ud800',
        ),
        fc.string({ unit: 'binary' }),
      ),
    )
    fc.assert(
      fc.property(hostile, (parts) => {
        const header = linkHeader(toPage(items, 100, new PageRequest(2)), address(`?${parts.join('')}`))
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        expect(header.match(/[<>"]/g)).toHaveLength(16)
        expect(pagesOf(header)).toMatchObject({ first: 1, prev: 1, next: 3, last: 5 })
      }),
    )
  })
})
