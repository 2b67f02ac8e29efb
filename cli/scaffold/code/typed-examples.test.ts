import { describe, expect, it } from 'vitest'
import type { Field, FieldType } from '../model.ts'
import { invalidTyped, typedValue } from './typed-examples.ts'

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
