import { type ColumnType, type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeForm } from '../../http/views/form.ts'
import { field, type Json, repository, resource, withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { fieldText } from './field-text.ts'

interface SampleTable {
  id: Generated<number>
  string: string | null
  text: string | null
  integer: number | null
  bigint: string | null
  decimal: string | null
  whole: string | null
  float: number | null
  boolean: boolean | null
  date: string | null
  time: string | null
  datetime: string | null
  uuid: string | null
  json: ColumnType<Json | null, Json | null | undefined>
  email: string | null
  url: string | null
  slug: string | null
  enum: string | null
  reference_id: ColumnType<number | null>
  other_id: string | null
}

declare module 'pergola' {
  interface Tables {
    field_samples: SampleTable
  }
}

const shape = {
  string: field.string({ max: 20 }),
  text: field.text(),
  integer: field.integer(),
  bigint: field.bigint(),
  decimal: field.decimal(12, 2),
  whole: field.decimal(5, 0),
  float: field.float(),
  boolean: field.boolean(),
  date: field.date(),
  time: field.time(),
  datetime: field.datetime(),
  uuid: field.uuid(),
  json: field.json(),
  email: field.email(),
  url: field.url(),
  slug: field.slug(),
  enum: field.enum(['draft', 'in print']),
  reference_id: field.reference(),
  other_id: field.reference('uuid'),
}
type Column = keyof typeof shape
const nullable = Object.fromEntries(
  Object.entries(shape).map(([column, schema]) => [column, schema.nullable()]),
) as { [C in Column]: z.ZodNullable<(typeof shape)[C]> }
const Sample = resource('FieldSample', { table: 'field_samples', input: z.strictObject(nullable) })
const samples = repository(Sample)
const { db } = await testDatabase()

beforeAll(async () => {
  await sql`create table field_samples (
    id bigint generated always as identity primary key,
    string text check (char_length(string) between 1 and 20), text text, integer integer, bigint bigint,
    decimal numeric(12, 2), whole numeric(5, 0), float double precision, boolean boolean, date date, time time(0),
    datetime timestamptz(3), uuid uuid, json jsonb, email text, url text, slug text, enum text, reference_id bigint,
    other_id uuid
  )`.execute(db)
})

const MOST = '9'.repeat(10)

describe('field', () => {
  it.each<[Column, typed: string, stored: unknown]>([
    ['string', ' A title ', 'A title'],
    ['string', '😀'.repeat(20), '😀'.repeat(20)],
    ['text', 'one\r\n\r\n  two', 'one\n\n  two'],
    ['integer', '-2147483648', -2_147_483_648],
    ['integer', '-0', 0],
    ['bigint', '9223372036854775807', '9223372036854775807'],
    ['bigint', '-0042', '-42'],
    ['decimal', '12.5', '12.50'],
    ['decimal', '.5', '0.50'],
    ['decimal', '-0', '0.00'],
    ['decimal', `-00${MOST}.99`, `-${MOST}.99`],
    ['whole', '99999', '99999'],
    ['float', '0.1', 0.1],
    ['float', '-0', 0],
    ['float', '1e21', 1e21],
    ['float', '5e-324', 5e-324],
    ['boolean', 'on', true],
    ['boolean', 'false', false],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '0001-01-01', '0001-01-01'],
    ['time', '09:05', '09:05:00'],
    ['time', '23:59:59', '23:59:59'],
    ['datetime', '2026-04-27T12:00', '2026-04-27T12:00:00.000000Z'],
    ['datetime', '2026-04-27T12:00:10', '2026-04-27T12:00:10.000000Z'],
    ['datetime', '2026-04-27T12:00:10.5', '2026-04-27T12:00:10.500000Z'],
    ['datetime', '0001-01-01T00:00', '0001-01-01T00:00:00.000000Z'],
    ['datetime', '9999-12-31T23:59:59.999', '9999-12-31T23:59:59.999000Z'],
    ['uuid', '0190A2B4-0000-7000-8000-00000000000A', '0190a2b4-0000-7000-8000-00000000000a'],
    [
      'json',
      '{"b": [1, -0], "a": null, "__proto__": "x"}',
      JSON.parse('{"a":null,"b":[1,0],"__proto__":"x"}'),
    ],
    ['json', '[1, [], "two"]', [1, [], 'two']],
    ['json', '[]', []],
    ['email', ' Ann@Example.org ', 'ann@example.org'],
    ['url', 'HTTPS://example.org/?q=<a>', 'HTTPS://example.org/?q=<a>'],
    ['slug', 'a-page-of-2', 'a-page-of-2'],
    ['enum', 'in print', 'in print'],
    ['reference_id', '7', 7],
    ['other_id', '0190a2b4-0000-7000-8000-00000000000a', '0190a2b4-0000-7000-8000-00000000000a'],
    ...Object.keys(shape).map((column): [Column, string, null] => [column as Column, '', null]),
  ])('%s: stores, shows and accepts %j again without a change', async (column, typed, stored) => {
    const input = read(column, typed)
    expect(input).toEqual(stored)
    const row = await withDatabase(db, () => samples.asSystem('test').insert({ [column]: input }))
    expect(row[column]).toStrictEqual(input)
    const shown = fieldText(Sample.input.shape[column], row[column]) as string | number | boolean | null
    // A browser submits the displayed value as text, with CRLF.
    const sent = typeof shown === 'boolean' ? String(shown) : String(shown ?? '').replaceAll('\n', '\r\n')
    expect(read(column, sent)).toStrictEqual(row[column])
    // An API client sends the JSON value.
    expect(Sample.input.shape[column].parse(JSON.parse(JSON.stringify(row[column])))).toStrictEqual(
      row[column],
    )
  })

  const read = (column: Column, typed: string) =>
    Sample.input.shape[column].parse(decodeForm(Sample.input, { [column]: typed })[column])

  it.each<[Column, given: unknown, sentence: string]>([
    ['string', '  ', 'Enter a value.'],
    ['string', '\u200b', 'Enter a value.'],
    ['string', 'two\nlines', 'Use one line, without control characters.'],
    ['string', '😀'.repeat(21), 'Use 20 characters or fewer.'],
    ['string', 7, 'Enter a value.'],
    ['text', ' \r\n ', 'Enter a value.'],
    ['integer', '1.5', 'Use a whole number.'],
    ['integer', '1e3', 'Use a whole number.'],
    ['integer', '0x10', 'Use a whole number.'],
    ['integer', true, 'Use a whole number.'],
    ['integer', '2147483648', 'Use 2,147,483,647 or less.'],
    ['bigint', '9223372036854775808', 'Use 9,223,372,036,854,775,807 or less.'],
    ['bigint', 'many', 'Use a whole number.'],
    ['decimal', '1,5', 'Use a number like 12 or 12.50.'],
    ['decimal', 'NaN', 'Use a number like 12 or 12.50.'],
    ['decimal', '.', 'Use a number like 12 or 12.50.'],
    ['decimal', '1.234', 'Use at most 2 decimal places.'],
    ['decimal', '12345678901', 'Use at most 10 digits before the decimal point.'],
    ['whole', '1.0', 'Use a whole number.'],
    ['float', 'Infinity', 'Use a number like 12 or 12.50.'],
    ['float', '1e400', 'Use a number like 12 or 12.50.'],
    ['boolean', 'yes', 'Use true or false.'],
    ['date', '2026-02-30', 'Use a valid date, like 2026-04-27.'],
    ['date', '2023-02-29', 'Use a valid date, like 2026-04-27.'],
    ['date', '0000-01-01', 'Use a valid date, like 2026-04-27.'],
    ['date', 'today', 'Use a valid date, like 2026-04-27.'],
    ['time', '24:00', 'Use a time like 14:30.'],
    ['time', '14:30:00.5', 'Use a time like 14:30.'],
    ['datetime', '2026-02-30T10:00', 'Use a date and a time, like 2026-04-27 14:30.'],
    ['datetime', '2026-04-27', 'Use a date and a time, like 2026-04-27 14:30.'],
    ['datetime', '9999-12-31T23:59-01:00', 'Use a date and a time, like 2026-04-27 14:30.'],
    ['datetime', '0001-01-01T00:00+01:00', 'Use a date and a time, like 2026-04-27 14:30.'],
    ['uuid', 'not-a-uuid', 'Use a UUID: 32 digits and letters from a to f, in five groups.'],
    ['json', '{"open":', 'Write JSON: an object in { } or a list in [ ].'],
    ['json', '"text"', 'Write JSON: an object in { } or a list in [ ].'],
    ['json', 7, 'Write JSON: an object in { } or a list in [ ].'],
    ['json', '[1e400]', 'A number is too large.'],
    ['json', '["\\u0000"]', 'Remove \\u0000 and halves of surrogate pairs: they can’t be stored.'],
    ['json', { '\ud800': 1 }, 'Remove \\u0000 and halves of surrogate pairs: they can’t be stored.'],
    ['email', 'nobody', 'Use an address like name@example.com.'],
    ['url', 'javascript:alert(1)', 'Use an address that begins with http:// or https://.'],
    ['url', 'http://a b', 'Use an address that begins with http:// or https://.'],
    ['url', '//example.org', 'Use an address that begins with http:// or https://.'],
    ['slug', 'Not a slug!', 'Use lower-case letters, digits and single hyphens between them.'],
    ['enum', 'none of these', 'Choose one of draft, in print.'],
    ['reference_id', '0', 'This record does not exist.'],
    ['reference_id', '9007199254740993', 'This record does not exist.'],
    ['other_id', '7', 'This record does not exist.'],
  ])('%s: rejects %j with a message', (column, value, sentence) => {
    expect(sentencesOf(shape[column], value)).toEqual([sentence])
  })

  it.each(Object.keys(shape) as Column[])('%s: returns one message for a missing value', (column) => {
    const [sentence, ...more] = sentencesOf(shape[column], undefined)
    expect(sentence).toMatch(/^(?:Enter|Write|Use|Choose) .*\.$/)
    expect(more).toEqual([])
  })

  it('reads JSON with a schema of its own, from a form and from JSON', () => {
    const size = field.json().pipe(z.strictObject({ height: z.number('Send the height as a number.') }))
    const input = z.strictObject({ size })
    expect(input.parse(decodeForm(input, { size: '{"height": 7}' }))).toEqual({ size: { height: 7 } })
    expect(size.parse({ height: 7 })).toEqual({ height: 7 })
    expect(fieldText(size, { height: 7 })).toBe('{\n  "height": 7\n}')
    expect(sentencesOf(size, { height: 'tall' })).toEqual(['Send the height as a number.'])
    expect(sentencesOf(size, '{"open":')).toEqual(['Write JSON: an object in { } or a list in [ ].'])
    expect(size.safeParse({ height: 7, width: 8 }).success).toBe(false)
  })

  it('rejects values that are too long or nested too deeply', () => {
    const endless: [Column, given: unknown, sentence: string][] = [
      ['text', 'x'.repeat(20_001), 'Use 20,000 characters or fewer.'],
      ['integer', '9'.repeat(400), 'Use 2,147,483,647 or less.'],
      ['bigint', '9'.repeat(2_000), 'Use a whole number.'],
      ['json', '['.repeat(100_000) + ']'.repeat(100_000), 'The JSON is nested too deeply.'],
      ['json', ['x'.repeat(20_000)], 'Use 20,000 characters or fewer.'],
    ]
    for (const [column, value, sentence] of endless)
      expect(sentencesOf(shape[column], value)).toEqual([sentence])
  })

  it('takes bounds: of texts in characters, of numbers by their value', () => {
    expect(sentencesOf(field.string({ min: 3 }), 'ab')).toEqual(['Use 3 characters or more.'])
    expect(sentencesOf(field.string({ min: 2 }), '😀')).toEqual(['Use 2 characters or more.'])
    expect(sentencesOf(field.text({ max: 1 }), 'ab')).toEqual(['Use 1 character or fewer.'])
    expect(sentencesOf(field.slug({ max: 3 }), 'a-bc')).toEqual(['Use 3 characters or fewer.'])
    expect(sentencesOf(field.integer({ min: 0, max: 130 }), '-1')).toEqual(['Use 0 or more.'])
    expect(sentencesOf(field.bigint({ max: 10n }), '11')).toEqual(['Use 10 or less.'])
    expect(sentencesOf(field.decimal(5, 2, { min: 0.5 }), '0.49')).toEqual(['Use 0.5 or more.'])
    expect(sentencesOf(field.decimal(5, 2, { max: 0.3 }), '0.30')).toEqual([])
    expect(sentencesOf(field.decimal(2, 2), '1')).toEqual(['Use a number below 1.'])
    expect(sentencesOf(field.float({ max: 0.1 }), 0.2)).toEqual(['Use 0.1 or less.'])
    expect(sentencesOf(field.string({ min: 0 }), '')).toEqual([])
  })

  it('reads moments with a zone, and JSON numbers', () => {
    expect(field.datetime().parse('2026-04-27T12:00:00.1239+02:00')).toBe('2026-04-27T10:00:00.123900Z')
    expect(field.datetime().parse('2026-04-27T12:00:00.123456789Z')).toBe('2026-04-27T12:00:00.123456Z')
    expect(field.decimal().parse(12.5)).toBe('12.50')
    expect(field.bigint().parse(42)).toBe('42')
    expect(field.reference().parse(7)).toBe(7)
  })
})

const sentencesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message) ?? []
