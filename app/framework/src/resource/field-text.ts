import type { z } from 'zod'
import { fieldFacts } from './field-kind.ts'
import { toJsonText } from './json-field.ts'
import { toPicker } from './time-fields.ts'

/** A stored value as its field in a form holds it; what has no such form stays as it is. */
export function fieldText(schema: z.ZodType, value: unknown): unknown {
  const { kind } = fieldFacts(schema)
  if (kind === 'json') return typeof value === 'object' && value !== null ? toJsonText(value) : value
  if (typeof value !== 'string') return value
  if (kind === 'datetime') return toPicker(value)
  return kind === 'time' ? value.replace(/^(\d\d:\d\d):00$/, '$1') : value
}
