import { describe, expect, it } from 'vitest'
import { PageRequest } from './page-request.ts'
import { toPage } from './page.ts'

describe('toPage', () => {
  it('returns exactly the seven fields of the JSON format', () => {
    expect(JSON.parse(JSON.stringify(toPage(['a', 'b'], 45, new PageRequest(2, 20))))).toStrictEqual({
      content: ['a', 'b'],
      page: 2,
      size: 20,
      total_elements: 45,
      total_pages: 3,
      has_next: true,
      has_previous: true,
    })
  })

  it.each([
    { total: 0, page: 1, total_pages: 1, has_next: false, has_previous: false },
    { total: 1, page: 1, total_pages: 1, has_next: false, has_previous: false },
    { total: 20, page: 1, total_pages: 1, has_next: false, has_previous: false },
    { total: 21, page: 1, total_pages: 2, has_next: true, has_previous: false },
    { total: 40, page: 2, total_pages: 2, has_next: false, has_previous: true },
    { total: 41, page: 2, total_pages: 3, has_next: true, has_previous: true },
    { total: 45, page: 3, total_pages: 3, has_next: false, has_previous: true },
  ])('returns the totals and the flags of page $page of $total records', ({ total, page, ...place }) => {
    expect(toPage([], total, new PageRequest(page))).toMatchObject({ page, total_elements: total, ...place })
  })

  it.each([
    [0, 2],
    [45, 4],
    [45, 9],
    [45, 4_294_967_295],
  ])('for %d records, keeps the number of page %d beyond the end', (total, page) => {
    expect(toPage([], total, new PageRequest(page))).toMatchObject({
      content: [],
      page,
      has_next: false,
      has_previous: true,
    })
  })

  it.each([-1, 1.5, Number.NaN, Infinity, 2 ** 53, '45' as never, 45n as never])(
    'rejects the count %s',
    (total) => {
      expect(() => toPage([], total, new PageRequest())).toThrow(/whole number.*Number\(\)/)
    },
  )
})
