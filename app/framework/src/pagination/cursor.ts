import { createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'

/** Longer tokens are neither made nor read: an address has to stay short enough for every proxy. */
export const MAX_CURSOR_LENGTH = 2_048

const DECODER = new TextDecoder('utf-8', { fatal: true })

/**
 * A JSON value as base64url text (RFC 4648 §5, without padding), safe in an address as it is. Everybody can read and
 * forge it; `encodeSigned` keeps it from being forged. Throws a `RangeError` beyond `MAX_CURSOR_LENGTH` characters.
 */
export function encodeCursor(value: unknown): string {
  return inBounds(Buffer.from(JSON.stringify(value)).toString('base64url'))
}

/** The value of a token; null for one that `encodeCursor` could not have made, or that the schema refuses. Never throws. */
export function decodeCursor<Schema extends z.ZodType>(
  token: string,
  schema: Schema,
): z.output<Schema> | null {
  const value = token.length <= MAX_CURSOR_LENGTH ? readJson(token) : undefined
  const parsed = value === undefined ? undefined : schema.safeParse(value)
  return parsed?.success ? parsed.data : null
}

/**
 * The same as `payload.mac`, an HMAC-SHA256 over the text of the payload by the first key of the ring. Whoever holds it
 * can still read it: it proves where it comes from and hides nothing.
 */
export function encodeSigned(value: unknown, keys: readonly string[]): string {
  const [first = ''] = checked(keys)
  const payload = encodeCursor(value)
  return inBounds(`${payload}.${macOf(payload, first).toString('base64url')}`)
}

/** The value of a signed token; null unless a key of the ring signed it and the schema takes it. */
export function decodeSigned<Schema extends z.ZodType>(
  token: string,
  schema: Schema,
  keys: readonly string[],
): z.output<Schema> | null {
  const [payload = '', mac = '', ...more] = token.length <= MAX_CURSOR_LENGTH ? token.split('.') : []
  const given = fromBase64url(mac)
  const signed =
    given?.length === 32 && checked(keys).some((key) => timingSafeEqual(given, macOf(payload, key)))
  return signed && more.length === 0 ? decodeCursor(payload, schema) : null
}

function inBounds(token: string): string {
  if (token.length <= MAX_CURSOR_LENGTH) return token
  throw new RangeError(
    `A cursor of ${token.length} characters is too long, ${MAX_CURSOR_LENGTH} is the most: order by shorter columns.`,
  )
}

/** Undefined for what is no JSON; JSON itself has no such value. */
function readJson(token: string): unknown {
  const bytes = fromBase64url(token)
  try {
    return bytes === null ? undefined : JSON.parse(DECODER.decode(bytes))
  } catch {
    return undefined
  }
}

// Buffer skips what it doesn't know and ignores spare bits: two texts for one value would be two names of one page.
function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}

const macOf = (payload: string, key: string) => createHmac('sha256', key).update(payload).digest()

function checked(keys: readonly string[]): readonly string[] {
  if (keys.length > 0 && keys.every((key) => key.length >= 32)) return keys
  throw new Error('A cursor is signed with a ring of one key or more, each of 32 characters or more.')
}
