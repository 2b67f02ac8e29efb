import type { z } from 'zod'
import { fieldFacts } from './field-kind.ts'
import { toJsonText } from './json-field.ts'
import { toPicker } from './time-fields.ts'

/** Returns a stored value as the text of its form field. Values without such a text are returned unchanged. */
export function fieldText(schema: z.ZodType, value: unknown): unknown {
  const { kind } = fieldFacts(schema)
  if (kind === 'json') return typeof value === 'object' && value !== null ? toJsonText(value) : value
  if (typeof value !== 'string') return value
  if (kind === 'datetime') return toPicker(value)
  return kind === 'time' ? value.replace(/^(\d\d:\d\d):00$/, '$1') : value
}
