import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openWindow, pageWindow, type PageSlot } from './page-window.ts'

const draw = (page: number, last: number, around?: number) => drawn(pageWindow(page, last, around))
const drawn = (slots: (PageSlot | 'more')[]) =>
  slots.map((slot) => (slot === 'more' || 'gap' in slot ? '…' : slot.page)).join(' ')

const pad = (number: number) => String(number).padStart(2)

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const named = (slots: PageSlot[]) =>
  slots.flatMap((slot) => ('gap' in slot ? range(...slot.gap) : [slot.page]))

const cases = (around: number) =>
  range(1, 30).flatMap((last) =>
    range(1, last).map((page) => {
      const slots = pageWindow(page, last, around)
      const shown = slots.flatMap((slot) => ('page' in slot ? [slot.page] : []))
      const gaps = slots.flatMap((slot) => ('gap' in slot ? [slot.gap] : []))
      return { page, last, slots, shown, gaps }
    }),
  )

describe('pageWindow', () => {
  it('matches page-window.series.txt for lists of 1 to 30 pages', () => {
    const table = readFileSync(new URL('page-window.series.txt', import.meta.url), 'utf8')
    const drawn = range(1, 30).flatMap((last) =>
      range(1, last).map((page) => `${pad(last)} ${pad(page)}  ${draw(page, last)}\n`),
    )
    expect(drawn).toHaveLength(465)
    expect(drawn.join('')).toBe(table)
  })

  it.each([
    [1, 1, '1'],
    [2, 2, '1 2'],
    [3, 5, '1 2 3 4 5'],
    [7, 7, '1 2 3 4 5 6 7'],
    [4, 8, '1 2 3 4 5 … 8'],
    [5, 8, '1 … 4 5 6 7 8'],
    [5, 9, '1 … 4 5 6 … 9'],
    [6, 10, '1 … 5 6 7 … 10'],
    [500_000, 1_000_000, '1 … 499999 500000 500001 … 1000000'],
  ])('shows page %d of %d as %s', (page, last, drawn) => {
    expect(draw(page, last)).toBe(drawn)
  })

  it.each([
    [10, 0, '1 … 10 … 20'],
    [1, 0, '1 2 3 … 20'],
    [1, 2, '1 2 3 4 5 6 7 … 20'],
    [10, 2, '1 … 8 9 10 11 12 … 20'],
    [5, 2, '1 2 3 4 5 6 7 … 20'],
    [16, 2, '1 … 14 15 16 17 18 19 20'],
    [20, 2, '1 … 14 15 16 17 18 19 20'],
    [1, 3, '1 2 3 4 5 6 7 8 9 … 20'],
    [5, 3, '1 2 3 4 5 6 7 8 9 … 20'],
    [10, 3, '1 … 7 8 9 10 11 12 13 … 20'],
    [16, 3, '1 … 12 13 14 15 16 17 18 19 20'],
    [20, 3, '1 … 12 13 14 15 16 17 18 19 20'],
  ])('shows page %d of 20 with %d around as %s', (page, around, drawn) => {
    expect(draw(page, 20, around)).toBe(drawn)
  })

  describe.each([0, 1, 2, 3])('with %d pages around, for all pages of lists of up to 30 pages', (around) => {
    const all = cases(around)

    it('has the same number of slots on every page of a list', () => {
      const slots = 2 * around + 5
      expect(all.filter(({ slots: { length }, last }) => length !== Math.min(slots, last))).toEqual([])
    })

    it('shows the first page, the last page and the adjacent pages', () => {
      const missing = all.filter(({ page, last, shown }) => {
        const near = range(Math.max(page - around, 1), Math.min(page + around, last))
        return ![1, last, ...near].every((number) => shown.includes(number))
      })
      expect(missing).toEqual([])
    })

    it('shows or omits every page once, in order', () => {
      expect(all.filter(({ slots, last }) => String(named(slots)) !== String(range(1, last)))).toEqual([])
    })

    it('never hides exactly one page', () => {
      expect(all.some(({ gaps }) => gaps.length === 2)).toBe(true)
      expect(all.filter(({ gaps }) => gaps.some(([from, to]) => to <= from))).toEqual([])
    })
  })

  it('covers all pages in order, with gaps of two pages or more, for lists of any length', () => {
    const list = fc
      .integer({ min: 1, max: 4_294_967_295 })
      .chain((last) =>
        fc.tuple(fc.integer({ min: 1, max: last }), fc.constant(last), fc.integer({ min: 1, max: 6 })),
      )
    fc.assert(
      fc.property(list, ([page, last, around]) => {
        const slots = pageWindow(page, last, around)
        const ends = slots.map((slot) => ('gap' in slot ? slot.gap : ([slot.page, slot.page] as const)))
        expect(slots).toHaveLength(Math.min(2 * around + 5, last))
        expect(ends.map(([from]) => from)).toEqual([1, ...ends.slice(0, -1).map(([, to]) => to + 1)])
        expect(ends.at(-1)).toEqual([last, last])
        const near = [page - 1, page, page + 1].filter((number) => number >= 1 && number <= last)
        expect(slots).toEqual(expect.arrayContaining(near.map((number) => ({ page: number }))))
        const hidden = slots.flatMap((slot) => ('gap' in slot ? [slot.gap[1] - slot.gap[0] + 1] : []))
        expect(hidden.every((count) => count >= 2)).toBe(true)
      }),
    )
  })

  it('shows the last pages for a page beyond the end', () => {
    expect(draw(99, 20)).toBe('1 … 16 17 18 19 20')
    expect(draw(2, 1)).toBe('1')
  })

  it.each([-1, 1.5, Number.NaN, Infinity])('rejects %d pages around', (around) => {
    expect(() => pageWindow(1, 20, around)).toThrow(/window is/)
  })
})

describe('openWindow', () => {
  it.each([
    [1, true, '1 2 …'],
    [1, false, '1'],
    [2, true, '1 2 3 …'],
    [3, true, '1 2 3 4 …'],
    [4, true, '1 2 3 4 5 …'],
    [5, true, '1 … 4 5 6 …'],
    [5, false, '1 … 4 5'],
    [600, true, '1 … 599 600 601 …'],
  ])('shows page %d, with a next page: %s, as %s', (page, hasNext, expected) => {
    expect(drawn(openWindow(page, hasNext))).toBe(expected)
  })

  it('replaces two pages or more by a gap', () => {
    expect(openWindow(5, false)[1]).toEqual({ gap: [2, 3] })
    expect(drawn(openWindow(6, true, 2))).toBe('1 … 4 5 6 7 …')
    expect(drawn(openWindow(3, false, 0))).toBe('1 2 3')
  })

  it('rejects a fraction of a page around', () => {
    expect(() => openWindow(1, true, 0.5)).toThrow(/window is/)
  })
})
