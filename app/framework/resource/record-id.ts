const PLAIN_NUMBER = /^[1-9]\d{0,15}$/

/** Reads an id from a path segment. Null for anything but a plain safe integer from 1: `abc`, `01`, `1e0`, `-1`, 40 digits. */
export function recordId(text: unknown): number | null {
  if (typeof text !== 'string' || !PLAIN_NUMBER.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}
