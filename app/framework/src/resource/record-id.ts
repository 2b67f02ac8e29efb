import type { RecordId } from './tables.ts'

const PLAIN_NUMBER = /^[1-9]\d{0,15}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The type of a table's ids. */
export type IdKind = 'bigint' | 'uuid'

/** Returns whether a row may have this id. A number beyond 2^53 is rounded, so that it may be the id of another row. */
export const isExactId = (id: unknown): boolean => typeof id !== 'number' || Number.isSafeInteger(id)

/** Reads an id of this kind. Returns null for other text. */
export const readId = (kind: IdKind, text: unknown): number | string | null =>
  kind === 'uuid' ? recordUuid(text) : recordId(text)

/**
 * Reads an id of the application, such as the position of a walk: unlike the id of a URL, it may be zero or negative, or
 * a UUID in upper case, which Postgres writes in lower case. Returns null for other values.
 */
export function storedId(kind: IdKind, id: unknown): number | string | null {
  const text = String(id)
  if (kind === 'uuid') return recordUuid(text.toLowerCase())
  return text === '0' ? 0 : (recordId(text) ?? negated(recordId(text.replace(/^-/, ''))))
}

const negated = (id: number | null) => (id === null ? null : -id)

/**
 * Reads a numeric id from a path segment. Returns null unless the text is a whole number from 1 to 2^53 - 1 in plain
 * digits; `abc`, `01`, `1e0` and `-1` return null.
 */
export function recordId(text: unknown): number | null {
  if (typeof text !== 'string' || !PLAIN_NUMBER.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}

/**
 * Reads a UUID from a path segment. Returns null unless the text is a UUID in lower case with its four hyphens,
 * which is how Postgres writes it.
 */
export function recordUuid(text: unknown): string | null {
  return typeof text === 'string' && UUID.test(text) ? text : null
}

/** Returns each id once, in ascending order, as the database returns them. */
export const sortedIds = <Id extends RecordId>(ids: readonly Id[]): Id[] =>
  [...new Set(ids)].toSorted((one, other) => (one < other ? -1 : 1))
