import { createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'

/** Longer tokens are rejected: URLs must stay short enough for every proxy. */
export const MAX_CURSOR_LENGTH = 2_048

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns a JSON value as base64url text without padding, which is safe in a URL. Clients can read and forge it:
 * `encodeSigned` prevents forgery. Throws a `RangeError` if the token is longer than 2,048 characters.
 */
export function encodeCursor(value: unknown): string {
  return inBounds(Buffer.from(JSON.stringify(value)).toString('base64url'))
}

/**
 * Returns the value of an `encodeCursor` token, or null if the token is malformed, longer than 2,048 characters, or
 * rejected by the schema. Never throws.
 */
export function decodeCursor<Schema extends z.ZodType>(
  token: string,
  schema: Schema,
): z.output<Schema> | null {
  const value = token.length <= MAX_CURSOR_LENGTH ? readJson(token) : undefined
  const parsed = value === undefined ? undefined : schema.safeParse(value)
  return parsed?.success ? parsed.data : null
}

/**
 * Returns an `encodeCursor` token, followed by its HMAC-SHA256 with the first key: `payload.mac`. Clients can read it
 * but can't forge it. Throws a `RangeError` if the token is longer than 2,048 characters. Throws without a key, and if
 * a key is shorter than 32 characters.
 */
export function encodeSigned(value: unknown, keys: readonly string[]): string {
  const [first = ''] = checked(keys)
  const payload = encodeCursor(value)
  return inBounds(`${payload}.${macOf(payload, first).toString('base64url')}`)
}

/**
 * Returns the value of an `encodeSigned` token, or null unless one of the keys signed it and the schema accepts it. To
 * rotate keys, pass the new key first, followed by the old keys. Throws without a key, and if a key is shorter than 32
 * characters.
 */
export function decodeSigned<Schema extends z.ZodType>(
  token: string,
  schema: Schema,
  keys: readonly string[],
): z.output<Schema> | null {
  const [payload = '', mac = '', ...more] = token.length <= MAX_CURSOR_LENGTH ? token.split('.') : []
  const signature = fromBase64url(mac)
  const signed =
    signature?.length === 32 && checked(keys).some((key) => timingSafeEqual(signature, macOf(payload, key)))
  return signed && more.length === 0 ? decodeCursor(payload, schema) : null
}

function inBounds(token: string): string {
  if (token.length <= MAX_CURSOR_LENGTH) return token
  throw new RangeError(
    `A cursor of ${token.length} characters is longer than ${MAX_CURSOR_LENGTH}. Order by shorter columns.`,
  )
}

/** Returns the JSON value of a token, which may be null. Returns undefined if the token is malformed. */
function readJson(token: string): unknown {
  const bytes = fromBase64url(token)
  try {
    const text = bytes === null ? '' : DECODER.decode(bytes)
    // JSON.parse ignores white space around the value, so that several tokens would decode to it.
    return text === text.trim() ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

// Buffer ignores invalid characters and unused bits. Without this check, several texts would decode to the same bytes.
function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}

const macOf = (payload: string, key: string) => createHmac('sha256', key).update(payload).digest()

function checked(keys: readonly string[]): readonly string[] {
  if (keys.length > 0 && keys.every((key) => key.length >= 32)) return keys
  throw new Error('A signed cursor needs one key or more, each of 32 characters or more.')
}
