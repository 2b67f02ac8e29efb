import { describe, expect, it } from 'vitest'
import { pageWindow, type PageSlot } from './page-window.ts'

const draw = (page: number, last: number, around?: number) =>
  pageWindow(page, last, around)
    .map((slot) => ('gap' in slot ? '…' : slot.page))
    .join(' ')

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
  it('shows these slots for each of twenty pages', () => {
    expect(range(1, 20).map((page) => draw(page, 20))).toEqual([
      '1 2 3 4 5 … 20',
      '1 2 3 4 5 … 20',
      '1 2 3 4 5 … 20',
      '1 2 3 4 5 … 20',
      '1 … 4 5 6 … 20',
      '1 … 5 6 7 … 20',
      '1 … 6 7 8 … 20',
      '1 … 7 8 9 … 20',
      '1 … 8 9 10 … 20',
      '1 … 9 10 11 … 20',
      '1 … 10 11 12 … 20',
      '1 … 11 12 13 … 20',
      '1 … 12 13 14 … 20',
      '1 … 13 14 15 … 20',
      '1 … 14 15 16 … 20',
      '1 … 15 16 17 … 20',
      '1 … 16 17 18 19 20',
      '1 … 16 17 18 19 20',
      '1 … 16 17 18 19 20',
      '1 … 16 17 18 19 20',
    ])
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
    [20, 3, '1 … 12 13 14 15 16 17 18 19 20'],
  ])('shows page %d of 20 with %d around as %s', (page, around, drawn) => {
    expect(draw(page, 20, around)).toBe(drawn)
  })

  describe.each([0, 1, 2, 3])('with %d pages around, everywhere in lists of up to 30 pages', (around) => {
    const all = cases(around)

    it('has the same number of slots on every page of a list', () => {
      const slots = 2 * around + 5
      expect(all.filter(({ slots: { length }, last }) => length !== Math.min(slots, last))).toEqual([])
    })

    it('shows the first page, the last and the neighbours', () => {
      const missing = all.filter(({ page, last, shown }) => {
        const near = range(Math.max(page - around, 1), Math.min(page + around, last))
        return ![1, last, ...near].every((number) => shown.includes(number))
      })
      expect(missing).toEqual([])
    })

    it('names every page once and in order', () => {
      expect(all.filter(({ slots, last }) => String(named(slots)) !== String(range(1, last)))).toEqual([])
    })

    it('never hides exactly one page', () => {
      expect(all.some(({ gaps }) => gaps.length === 2)).toBe(true)
      expect(all.filter(({ gaps }) => gaps.some(([from, to]) => to <= from))).toEqual([])
    })
  })

  it('shows the end of the list to somebody beyond it', () => {
    expect(draw(99, 20)).toBe('1 … 16 17 18 19 20')
    expect(draw(2, 1)).toBe('1')
  })

  it.each([-1, 1.5, Number.NaN, Infinity])('refuses %d pages around', (around) => {
    expect(() => pageWindow(1, 20, around)).toThrow(/window is how many pages/)
  })
})
