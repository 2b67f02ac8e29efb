const PLAIN_NUMBER = /^[1-9]\d{0,15}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What the ids of a table are. */
export type IdKind = 'bigint' | 'uuid'

/** Reads an id of this kind; null for what is none. */
export const readId = (kind: IdKind, text: unknown): number | string | null =>
  kind === 'uuid' ? recordUuid(text) : recordId(text)

/** Reads an id from a path segment. Null for anything but a plain safe integer from 1: `abc`, `01`, `1e0`, `-1`, 40 digits. */
export function recordId(text: unknown): number | null {
  if (typeof text !== 'string' || !PLAIN_NUMBER.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}

/** The same for a UUID: null for anything but one as Postgres writes it, in small letters with its four hyphens. */
export function recordUuid(text: unknown): string | null {
  return typeof text === 'string' && UUID.test(text) ? text : null
}
