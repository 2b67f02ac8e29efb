import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_PAGE, PageRequest, pageRequest } from './page-request.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './page-size.ts'

const NINES = '9'.repeat(400)
const read = (query: string) => {
  const { page, size } = pageRequest({ originalUrl: `/notes${query}` })
  return [page, size]
}

describe('PageRequest', () => {
  it.each([
    [3, 20, 40],
    [1, 20, 0],
    [2, 1, 1],
    [MAX_PAGE, MAX_PAGE_SIZE, (MAX_PAGE - 1) * MAX_PAGE_SIZE],
  ])('turns page %d of size %d into offset %d', (page, size, offset) => {
    const request = new PageRequest(page, size)
    expect([request.page, request.limit, request.offset]).toEqual([page, size, offset])
    expect(Number.isSafeInteger(request.offset)).toBe(true)
  })

  it('defaults to the first page of twenty', () => {
    expect(new PageRequest()).toEqual(new PageRequest(1, DEFAULT_PAGE_SIZE))
    expect([DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_PAGE]).toEqual([20, 100, 4_294_967_295])
  })

  it.each([0, -0, -3, 2.5, Number.NaN, Infinity, -Infinity, MAX_PAGE + 1, 1e300])(
    'replaces page %d by page 1',
    (page) => {
      expect(new PageRequest(page, 10).page).toBe(1)
    },
  )

  it.each([0, -0, -5, 1.5, 150.5, Number.NaN, Infinity, -Infinity])(
    'replaces size %d by the default',
    (size) => {
      expect(new PageRequest(1, size).size).toBe(20)
    },
  )

  it.each([101, 200, 1e300])('reduces size %d to the maximum', (size) => {
    expect(new PageRequest(1, size).size).toBe(100)
  })
})

describe('pageRequest', () => {
  it.each([
    ['', 1, 20],
    ['?', 1, 20],
    ['?page=3', 3, 20],
    ['?size=10', 1, 10],
    ['?page=3&size=10', 3, 10],
    ['?size=200', 1, 100],
    ['?size=100', 1, 100],
    ['?size=101', 1, 100],
    [`?size=${NINES}`, 1, 100],
    ['?size=abc', 1, 20],
    ['?size=0', 1, 20],
    ['?size=-5', 1, 20],
    ['?size=1.5', 1, 20],
    ['?size=150.5', 1, 20],
    ['?size=1', 1, 1],
    ['?size=', 1, 20],
    ['?size=Infinity', 1, 20],
    ['?q=a&page=3&size=30#top', 3, 20],
  ])('reads %j as page %d of size %d', (query, page, size) => {
    expect(read(query)).toEqual([page, size])
  })

  it.each(['1', '007', '0000000000000000000000000007', '%2B5', '%2b5', '%35', '4294967295'])(
    'accepts page=%s as a page number',
    (value) => {
      expect(read(`?page=${value}`)).toEqual([Number(decodeURIComponent(value)), 20])
      expect(read(`?size=${value}`)[1]).toBe(Math.min(Number(decodeURIComponent(value)), 100))
    },
  )

  it.each(
    `0 -3 abc 2.5 3.0 1e3 0x10 1_000 1,000 NaN Infinity null true +5 %2B%2B5 %2B +3 3+ %203 3%20 3%09 3%00
    3%0A %D9%A3 %EF%BC%93 %C2%B2 % %E0%A4%A 3% 3%zz 4294967296 99999999999999999999
    ${NINES} [3] 3;4 3=`.split(/\s+/),
  )('takes page=%s for page 1', (value) => {
    expect(read(`?page=${value}`)).toEqual([1, 20])
  })

  it.each([
    ['?page=3&page=9', 9, 20],
    ['?page=3&page=abc', 3, 20],
    ['?page=3&page=', 3, 20],
    ['?page=3&page=4294967296&page=0', 3, 20],
    ['?size=10&size=500', 1, 100],
    ['?size=10&size=0&size=x', 1, 10],
    [`?size=10&size=${NINES}`, 1, 100],
  ])('uses the last valid value: %j', (query, page, size) => {
    expect(read(query)).toEqual([page, size])
  })

  it.each([
    ['?p%61ge=3&%73ize=5', 3, 5],
    ['?&&page=3&', 3, 20],
    ['?page[]=3&page[a]=3&pages=3&mypage=3&Page=3&page%=3&?page=3', 1, 20],
    ['?next=/a?b&page=3', 3, 20],
    ['??page=3', 1, 20],
  ])('decodes parameter names and ignores others: %j', (query, page, size) => {
    expect(read(query)).toEqual([page, size])
  })

  it('reads the parameters of one of several lists', () => {
    const originalUrl = '/notes/7?page=9&size=30&comments_page=3&comments_size=5&comments_page=x'
    expect(pageRequest({ originalUrl }, { prefix: 'comments' })).toEqual(new PageRequest(3, 5))
    expect(pageRequest({ originalUrl }, { prefix: 'votes' })).toEqual(new PageRequest())
    expect(pageRequest({ originalUrl })).toEqual(new PageRequest(9, 30))
  })

  it.each([
    ['', { default: 50, max: 200 }, 50],
    ['?size=200', { default: 50, max: 200 }, 200],
    ['?size=201', { default: 50, max: 200 }, 200],
    ['?size=x', { default: 50, max: 200 }, 50],
    ['?size=30', { max: 10 }, 10],
    ['', { max: 10 }, 10],
    ['', { max: 500 }, 20],
    ['', { default: 5 }, 5],
    ['?size=500', { default: 5 }, 100],
    ['?size=500', {}, 100],
  ])('reads the size of %j within %j as %d', (query, pageSize, size) => {
    expect(pageRequest({ originalUrl: `/notes${query}` }, { pageSize }).size).toBe(size)
  })

  it('reads the parameters of one of several lists within its page sizes', () => {
    const list = { prefix: 'comments', pageSize: { default: 5, max: 7 } }
    const sizeIn = (query: string) => pageRequest({ originalUrl: `/?size=3&${query}` }, list).size
    expect([sizeIn(''), sizeIn('comments_size=6'), sizeIn('comments_size=60')]).toEqual([5, 6, 7])
  })

  it('never throws, and returns valid values for any query', () => {
    const piece = fc.constantFrom(
      'page',
      'size',
      '=',
      '&',
      '?',
      '%',
      '+',
      '#',
      '1',
      '0',
      '-',
      '.',
      '[',
      ']',
      '\ud800',
    )
    const query = fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 })
    fc.assert(
      fc.property(query, (pieces) => {
        const { page, size, limit, offset } = pageRequest({ originalUrl: `/notes?${pieces.join('')}` })
        expect(Number.isInteger(page) && page >= 1 && page <= MAX_PAGE).toBe(true)
        expect(Number.isInteger(size) && size >= 1 && size <= MAX_PAGE_SIZE).toBe(true)
        expect([limit, offset]).toEqual([size, (page - 1) * size])
      }),
    )
  })

  it('accepts every whole number in the valid range', () => {
    const count = fc.integer({ min: 1, max: MAX_PAGE })
    fc.assert(
      fc.property(count, count, (page, size) => {
        expect(read(`?page=${page}&size=${size}`)).toEqual([page, Math.min(size, 100)])
      }),
    )
  })
})
