import { describe, expect, it } from 'vitest'
import { loadedStatus, pageInfo, pageStatus } from './page-info.ts'
import { PageRequest } from './page-request.ts'
import { type Page, toPage } from './page.ts'
import type { PagerLabels } from './pager-labels.ts'

const twenty = Array.from({ length: 20 })
const page = (number: number, total = 397, content: unknown[] = twenty) =>
  toPage(content, total, new PageRequest(number))
const capped = (number: number): Page<unknown> => ({ ...page(number, 10_000), total_is_capped: true })
const uncounted = { content: twenty, page: 3, size: 20, has_next: true, has_previous: true }

const FRENCH: Partial<PagerLabels> = {
  info: ({ from, to, total }) => `${from} à ${to}${total === null ? '' : ` sur ${total}`}`,
  status: ({ page, last, info, plural }) =>
    `Page ${page}${last === null ? '' : ` sur ${last}`}, ${plural === 'one' ? 'élément' : 'éléments'} ${info}`,
  loaded: (count, plural) => `${count} ${plural === 'one' ? 'autre élément' : 'autres éléments'}`,
}

describe('pageInfo', () => {
  it('shows the range of items', () => {
    expect(pageInfo(page(3))).toBe('41–60 of 397')
    expect(pageInfo(page(20, 397, twenty.slice(3)))).toBe('381–397 of 397')
  })

  it('shows one number for a single item', () => {
    expect(pageInfo(page(20, 381, [1]))).toBe('381 of 381')
  })

  it('returns null for an empty page', () => {
    expect(pageInfo(page(1, 0, []))).toBeNull()
    expect(pageInfo(page(99, 397, []))).toBeNull()
  })

  it('shows that there are more items than the cap', () => {
    expect(pageInfo(capped(3))).toBe('41–60 of 10,000+')
  })

  it('omits a total that is unknown or lower than the shown items', () => {
    expect(pageInfo(uncounted)).toBe('41–60')
    expect(pageInfo(capped(501))).toBe('10,001–10,020')
  })

  it('uses the labels and digits of a language', () => {
    expect(pageInfo(capped(3), { locale: 'fr', labels: FRENCH })).toBe('41 à 60 sur 10\u202f000+')
    expect(pageInfo(page(3), { locale: 'ar-EG' })).toBe('٤١–٦٠ of ٣٩٧')
  })
})

describe('pageStatus', () => {
  it('announces the page and its items', () => {
    expect(pageStatus(page(3))).toBe('Page 3 of 20, items 41–60 of 397')
    expect(pageStatus(page(20, 381, [1]))).toBe('Page 20 of 20, item 381 of 381')
    expect(pageStatus(page(99, 397, []))).toBe('Page 99 of 20, no items')
  })

  it('omits unknown totals', () => {
    expect(pageStatus(capped(3))).toBe('Page 3 of 500+, items 41–60 of 10,000+')
    expect(pageStatus(capped(501))).toBe('Page 501, items 10,001–10,020')
    expect(pageStatus(uncounted)).toBe('Page 3, items 41–60')
  })

  it('uses the labels and plural forms of a language', () => {
    const french = { locale: 'fr', labels: FRENCH }
    expect(pageStatus(page(3), french)).toBe('Page 3 sur 20, éléments 41 à 60 sur 397')
    expect(pageStatus(page(20, 381, [1]), french)).toBe('Page 20 sur 20, élément 381 à 381 sur 381')
  })
})

describe('loadedStatus', () => {
  const more = (length: number) => ({
    content: Array.from({ length }),
    size: 20,
    next_cursor: null,
    prev_cursor: null,
    has_next: false,
    has_previous: true,
  })

  it('announces the number of added items', () => {
    expect([loadedStatus(more(20)), loadedStatus(more(1))]).toEqual(['20 more items', '1 more item'])
    expect(loadedStatus(more(1), { locale: 'fr', labels: FRENCH })).toBe('1 autre élément')
  })

  it('passes the plural form of the language', () => {
    const labels = { loaded: (count: string, plural: string) => `${count} ${plural}` }
    const said = [0, 1, 2, 3, 11, 100].map((length) =>
      loadedStatus(more(length), { locale: 'ar-EG', labels }),
    )
    expect(said).toEqual(['٠ zero', '١ one', '٢ two', '٣ few', '١١ many', '١٠٠ other'])
  })
})
