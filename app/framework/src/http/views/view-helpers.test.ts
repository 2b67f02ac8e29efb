import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerpt, formatDate, formatDateTime, formatMoney, formatRelative, time } from './view-helpers.ts'
import { humanize } from '../../resource/humanize.ts'

describe('formatDate and formatDateTime', () => {
  it('return a day, and a day and time in UTC', () => {
    expect(formatDate('2026-04-27')).toBe('Apr 27, 2026')
    expect(formatDate('2026-04-27T23:59:59.999000Z')).toBe('Apr 27, 2026')
    expect(formatDateTime('2026-04-27T00:05:59.999000Z')).toBe('Apr 27, 2026, 00:05 UTC')
  })

  it('return the texts of days before 1970, and of years with other lengths', () => {
    expect(formatDate('1969-12-31T23:59:59.999Z')).toBe('Dec 31, 1969')
    expect(formatDate('1969-12-31T00:00:00Z')).toBe('Dec 31, 1969')
    expect(formatDateTime('1969-12-31T23:59:59.999Z')).toBe('Dec 31, 1969, 23:59 UTC')
    expect(formatDate('+275760-09-13T00:00:00.000Z')).toBe('Sep 13, 275760')
    expect(formatDateTime('-271821-04-20T00:00:00.000Z')).toBe('Apr 20, 271822, 00:00 UTC')
  })

  it('return the same texts as Intl for any time', () => {
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, max: new Date('9999-01-01') }), (date) => {
        expect(formatDate(date.toISOString())).toBe(day.format(date))
        expect(formatDateTime(date.toISOString())).toContain(day.format(date))
        expect(formatDate(date.toISOString().replace('Z', '-00:30'))).toBe(
          day.format(date.getTime() + 1_800_000),
        )
      }),
    )
  })

  it('return unparsable text unchanged', () => {
    const texts = [
      'infinity',
      '2026-13-01T00:00:00Z',
      '2026-04-27T24:30:00Z',
      '2026-04-27T12:00:60.000000Z',
      '',
    ]
    expect(texts.map(formatDate)).toEqual(texts)
    expect(texts.map(formatDateTime)).toEqual(texts)
  })
})

describe('formatMoney', () => {
  it.each([
    ['1050.50', 'EUR', '€1,050.50'],
    ['1050.00', 'JPY', '¥1,050'],
    ['0.500', 'BHD', 'BHD 0.500'],
    ['-3.00', 'USD', '-$3.00'],
    // Neither rounded nor converted to a number.
    ['10.50', 'JPY', '¥10.5'],
    ['90071992547409931234.01', 'EUR', '€90,071,992,547,409,931,234.01'],
  ])('returns %s %s as %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency).replaceAll('\u00A0', ' ')).toBe(text)
  })
})

describe('humanize', () => {
  it.each([
    ['for_sale', 'For sale'],
    ['on-hold', 'On-hold'],
    ['USD', 'USD'],
    ['', ''],
  ])('returns %j as words', (value, words) => {
    expect(humanize(value)).toBe(words)
  })
})

describe('excerpt', () => {
  it('returns a short text unchanged, in one line', () => {
    expect(excerpt('  Two\n\nlines.  ')).toBe('Two lines.')
  })

  it('cuts a long text between two words, and removes punctuation before the ellipsis', () => {
    expect(excerpt('One two three four', 10)).toBe('One two…')
    expect(excerpt('One two. Three', 9)).toBe('One two…')
    expect(excerpt('One two three', 7)).toBe('One two…')
  })

  it('cuts a very long word, without splitting a character', () => {
    expect(excerpt('W'.repeat(50), 10)).toBe(`${'W'.repeat(5)}…`)
    expect(excerpt('\u{1f600}'.repeat(50), 10)).toBe('\u{1f600}\u{1f600}…')
  })
})

describe('formatRelative', () => {
  const now = Date.parse('2026-04-27T12:00:00Z')

  it.each([
    ['2026-04-27T11:59:30.500000Z', 'now'],
    ['2026-04-27T11:59:00Z', '1 minute ago'],
    ['2026-04-27T12:00:00Z', 'now'],
    ['2026-04-27T11:01:00Z', '59 minutes ago'],
    ['2026-04-27T14:59:00Z', 'in 2 hours'],
    ['2026-04-26T11:00:00Z', 'yesterday'],
    ['2026-05-03T12:00:00Z', 'in 6 days'],
    ['2026-03-27T12:00:00Z', 'Mar 27, 2026'],
    ['not a time', 'not a time'],
  ])('returns for %s the text %s', (timestamp, text) => {
    expect(formatRelative(timestamp, now)).toBe(text)
  })
})

describe('time', () => {
  it('returns how long ago a time is, with the exact time on hover', () => {
    expect(time('2020-04-27T12:00:00.000000Z')).toBe(
      '<time datetime="2020-04-27T12:00:00.000000Z" title="Apr 27, 2020, 12:00 UTC">Apr 27, 2020</time>',
    )
  })

  it('escapes a value that is not a time', () => {
    expect(time('"><script>')).not.toContain('<script>')
  })
})
