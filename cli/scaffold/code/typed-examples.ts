import type { Field, FieldType } from '../model.ts'
import { exampleValue, LONGEST } from './examples.ts'

/** What a person types, chooses or picks in a form for the nth example: of a checkbox `on`, or nothing. */
export function typedValue(field: Field, n: number): string {
  const value = exampleValue(field, n)
  if (typeof value === 'boolean') return value ? 'on' : ''
  if (typeof value === 'object') return `{ "example": ${value.example} }`
  const text = String(value)
  // What pickers send: minutes, and no zone.
  if (field.type === 'datetime') return text.slice(0, 16)
  return field.type === 'time' ? text.slice(0, 5) : text
}

/** What a person could send for it and must not; null for a checkbox, which has nothing wrong to say. */
export function invalidTyped({ type, nullable, max }: Field): string | null {
  if (type === 'string' || type === 'text') return nullable ? 'x'.repeat((max ?? LONGEST[type]) + 1) : ''
  return WRONG[type] ?? null
}

const WRONG: { readonly [Type in FieldType]?: string } = {
  integer: '1.5',
  bigint: 'many',
  decimal: 'many',
  float: 'many',
  date: '2026-02-30',
  time: '25:00',
  datetime: '2026-02-30T10:00',
  uuid: 'not-a-uuid',
  json: '{"open":',
  email: 'nobody',
  url: 'javascript:alert(1)',
  slug: 'Not a slug!',
  enum: 'none of these',
  references: '0',
}
