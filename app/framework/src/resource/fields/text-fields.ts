import { z } from 'zod'
import { reading, Refusal } from './read-field.ts'

export interface Length {
  /** In characters, as Postgres counts them. */
  min?: number
  max?: number
}

/** Requires a visible character, so that a link with this text can be clicked. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const ONE_LINE = /^\P{Cc}*$/u

/** Returns a schema for one line of text, which it trims. */
export function stringField({ min = 1, max = 255 }: Length = {}): z.ZodString {
  const visible = min === 0 ? /(?:)/ : VISIBLE
  const line = z
    .string(MISSING)
    .trim()
    .regex(visible, { error: MISSING, abort: true })
    .regex(ONE_LINE, { error: 'Use one line, without control characters.', abort: true })
  return withLength(line, { min, max })
}

/** Returns a schema for any number of lines. It replaces the CRLF that browsers send by LF. */
export function textField({ min = 1, max = 20_000 }: Length = {}): z.ZodString {
  const lines = z
    .string(MISSING)
    .overwrite((text) => text.replaceAll('\r\n', '\n'))
    .trim()
  const filled = min === 0 ? lines : lines.min(1, { error: MISSING, abort: true })
  return withLength(filled, { min, max })
}

/** Returns a schema for an email address in lower case: addresses that differ only in case belong to one mailbox. */
export const emailField = (): z.ZodString =>
  z
    .string(NO_EMAIL)
    .trim()
    .toLowerCase()
    .max(254, { error: () => tooLong(254), abort: true })
    .refine((text) => z.email().safeParse(text).success, NO_EMAIL)

/** Returns a schema for an http or https URL. It rejects other schemes, since a link to `javascript:` runs a script. */
export const urlField = (): z.ZodString =>
  z
    .string(NO_URL)
    .trim()
    .max(2_000, { error: () => tooLong(2_000), abort: true })
    .refine((text) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text), NO_URL)

/** Returns a schema for a part of a URL: `my-first-page`. */
export function slugField({ min = 1, max = 255 }: Length = {}): z.ZodString {
  const slug = z
    .string(NO_SLUG)
    .trim()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: NO_SLUG, abort: true })
  return withLength(slug, { min, max })
}

/** Returns a schema for any UUID, in lower case as Postgres returns it. */
export const uuidField = (): z.ZodType<string, string | number> =>
  reading({
    missing: NO_UUID,
    read: (text) => (z.guid().safeParse(text).success ? text.toLowerCase() : new Refusal(NO_UUID)),
  })

const MISSING = 'Enter a value.'
const NO_EMAIL = 'Use an address like name@example.com.'
const NO_URL = 'Use an address that begins with http:// or https://.'
const NO_SLUG = 'Use lower-case letters, digits and single hyphens between them.'
const NO_UUID = 'Use a UUID: 32 digits and letters from a to f, in five groups.'

const tooLong = (max: number) => `Use ${characters(max)} or fewer.`
const tooShort = (min: number) => `Use ${characters(min)} or more.`
// Called when a text is invalid, not when a field is declared: the first formatted number costs 40 ms.
const characters = (count: number) => `${count.toLocaleString('en')} character${count === 1 ? '' : 's'}`

// Not zod's own length checks: they count an emoji as two characters, Postgres counts one.
const withLength = (schema: z.ZodString, { min, max }: Required<Length>): z.ZodString =>
  schema
    .refine((text) => lengthOf(text) >= min, { error: () => tooShort(min) })
    .refine((text) => lengthOf(text) <= max, { error: () => tooLong(max) })

const lengthOf = (text: string) => Array.from(text).length
