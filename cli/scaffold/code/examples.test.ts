import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { nthDay, nthMoment, nthTime } from '#app/db/seeding.ts'
import { invalidTyped, typedValue, validValue } from './examples.ts'
import type { Field, FieldType } from '../model.ts'

const field = (type: FieldType, more: Partial<Field> = {}): Field => ({
  name: 'lot',
  column: 'lot',
  label: 'Lot',
  type,
  nullable: false,
  unique: false,
  index: false,
  private: false,
  ...more,
})

const evaluate = (code: string, made = 0): unknown =>
  runInNewContext(`(${code})`, { made, nthDay, nthMoment, nthTime })

const FIELDS: Field[] = [
  field('string'),
  field('string', { max: 3 }),
  field('string', { min: 30, max: 40 }),
  field('string', { label: 'Price in `$' }),
  field('text'),
  field('slug', { label: 'Place of birth' }),
  field('integer'),
  field('integer', { min: -5, max: 200 }),
  field('integer', { max: -10 }),
  field('bigint'),
  field('decimal'),
  field('decimal', { precision: 3, scale: 2, min: 0 }),
  field('float'),
  field('float', { min: 0.5, max: 1.75 }),
  field('date'),
  field('time'),
  field('datetime'),
  field('uuid'),
  field('json'),
  field('email'),
  field('url'),
]

describe('validValue', () => {
  it.each(FIELDS)('gives code for ever other values: $type $min $max', (field) => {
    const literals = Array.from({ length: 60 }, (_, n) => evaluate(validValue(field, n + 1)))
    const worked = Array.from({ length: 60 }, (_, n) => evaluate(validValue(field, 'made'), n + 1))
    expect(new Set(literals.map((value) => JSON.stringify(value))).size).toBe(60)
    expect(worked).toEqual(literals)
  })

  it('stays within the length', () => {
    for (const n of [1, 99, 12_345]) {
      expect(evaluate(validValue(field('string', { max: 3 }), n))).toHaveLength(3)
      expect(String(evaluate(validValue(field('string', { min: 30, max: 40 }), 'made'), n))).toHaveLength(30)
    }
  })

  it('stays within the range', () => {
    const values = (more: Partial<Field>, type: FieldType = 'integer') =>
      Array.from({ length: 300 }, (_, n) => Number(evaluate(validValue(field(type, more), 'made'), n)))
    expect(Math.min(...values({ min: -5, max: 10 }))).toBe(-5)
    expect(Math.max(...values({ min: -5, max: 10 }))).toBe(10)
    expect(Math.max(...values({ max: -10 }))).toBeLessThanOrEqual(-10)
    expect(Math.max(...values({ precision: 2, scale: 2 }, 'decimal'))).toBeLessThan(1)
    expect(values({ min: 7, max: 7 }).every((value) => value === 7)).toBe(true)
  })

  it('keeps the default for last', () => {
    const state = field('enum', { values: ['draft', 'out'], default: 'draft' })
    expect([1, 2, 3].map((n) => validValue(state, n))).toEqual(["'out'", "'draft'", "'out'"])
  })

  it('has nothing for a reference', () => {
    expect(() => validValue(field('references', { column: 'lot_id' }), 1)).toThrow(
      'lot_id: what it refers to',
    )
  })
})

describe('typedValue', () => {
  it.each([
    ['string', 'Lot 2'],
    ['decimal', '2.00'],
    ['boolean', ''],
    ['date', '2026-01-02'],
    ['time', '09:02'],
    ['datetime', '2026-01-02T09:00'],
    ['json', '{ "example": 2 }'],
    ['url', 'https://example.org/2'],
  ] as const)('of a field of type %s is %j', (type, typed) => {
    expect(typedValue(field(type), 2)).toBe(typed)
  })
})

describe('invalidTyped', () => {
  it('is nothing at all where a text is asked for, and too much where it may be left out', () => {
    expect(invalidTyped(field('string'))).toBe('')
    expect(invalidTyped(field('string', { nullable: true, max: 3 }))).toBe('xxxx')
  })

  it('is null for a checkbox', () => {
    expect(invalidTyped(field('boolean'))).toBeNull()
    expect(invalidTyped(field('date'))).toBe('2026-02-30')
  })
})
