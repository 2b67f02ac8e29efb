import { z } from 'zod'
import { parsedJson } from '../parsed-json.ts'
import { ofKind } from './field-kind.ts'
import { isStorableText } from './storable-text.ts'

type JsonValue = string | number | boolean | null | Json

/** The value of a JSON field: an object or a list. `field.json()` accepts up to 20,000 characters and 50 levels. */
export type Json = { readonly [name: string]: JsonValue } | readonly JsonValue[]

/**
 * Returns a schema for an object or a list, as JSON or as its text. A single string or number is rejected, because in
 * a form the string `7` and the number `7` look the same.
 */
export const jsonField = (): z.ZodType<Json> =>
  ofKind(
    'json',
    z
      .custom<object | string>((input) => input !== undefined && input !== null, NO_JSON)
      .transform((input, ctx) => {
        const value = typeof input === 'string' ? parsedJson(input) : input
        const sentence = refusalOf(value)
        if (sentence !== null) {
          ctx.addIssue(sentence)
          return z.NEVER
        }
        // Like Postgres, turn negative zero into zero.
        return JSON.parse(JSON.stringify(value)) as Json
      }),
  )

/** Returns indented JSON, for forms. */
export const toJsonText = (value: unknown): string => JSON.stringify(value, null, 2)

const DEEPEST = 50
const LONGEST = 20_000

const NO_JSON = 'Write JSON: an object in { } or a list in [ ].'
const TOO_DEEP = 'The JSON is nested too deeply.'
const TOO_LONG = 'Use 20,000 characters or fewer.'
const UNSTORABLE = 'Remove \\u0000 and halves of surrogate pairs: they can’t be stored.'
const TOO_LARGE = 'A number is too large.'

function refusalOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return NO_JSON
  return refusalWithin(value, 0) ?? (JSON.stringify(value).length > LONGEST ? TOO_LONG : null)
}

function refusalWithin(value: unknown, depth: number): string | null {
  if (depth > DEEPEST) return TOO_DEEP
  if (typeof value === 'number') return Number.isFinite(value) ? null : TOO_LARGE
  // Postgres rejects NUL in text, and half of a surrogate pair would be stored as another character.
  if (typeof value === 'string') return isStorableText(value) ? null : UNSTORABLE
  if (typeof value !== 'object' || value === null) return null
  for (const part of Object.entries(value).flat()) {
    const refusal = refusalWithin(part, depth + 1)
    if (refusal !== null) return refusal
  }
  return null
}
