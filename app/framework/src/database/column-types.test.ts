import { describe, expect, it } from 'vitest'
import { columnTypes, exactTimestamp } from './column-types.ts'

describe('exactTimestamp', () => {
  it.each([
    ['2026-04-27 12:00:00.123456+00', '2026-04-27T12:00:00.123456Z'],
    ['2026-04-27 12:00:00.1+00', '2026-04-27T12:00:00.100000Z'],
    ['2026-04-27 12:00:00+00', '2026-04-27T12:00:00.000000Z'],
    ['1969-12-31 23:59:59.999999+00', '1969-12-31T23:59:59.999999Z'],
    ['2026-04-27 12:00:00', '2026-04-27T12:00:00.000000'],
    ['10000-01-01 00:00:00.12345+00', '10000-01-01 00:00:00.12345+00'],
    ['0044-03-15 12:00:00.12345+00 BC', '0044-03-15 12:00:00.12345+00 BC'],
    ['2026-04-27 12:00:00.123+05:30', '2026-04-27 12:00:00.123+05:30'],
    ['infinity', 'infinity'],
    ['0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00+00 BC'],
    ['10000-01-01 00:00:00+00', '10000-01-01 00:00:00+00'],
  ])('%s → %s', (written, read) => {
    expect(exactTimestamp(written)).toBe(read)
  })
})

describe('columnTypes', () => {
  const read = (type: number, text: string): unknown => columnTypes.getTypeParser(type, 'text')(text)

  it.each([
    [1185, '{"2026-04-27 12:00:00+00",NULL}', ['2026-04-27T12:00:00.000000Z', null]],
    [1115, '{{"2026-04-27 12:00:00"},{NULL}}', [['2026-04-27T12:00:00.000000'], [null]]],
    [1182, '{2026-04-27,NULL}', ['2026-04-27', null]],
    [1185, '{}', []],
  ])('reads an array of the type %i: %s', (type, text, values) => {
    expect(read(type, text)).toEqual(values)
  })
})
