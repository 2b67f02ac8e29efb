/** Where a record ends: before this byte, which is a line feed or the end of all. */
export interface Scanned {
  readonly end: number
  /** Why it can't be read; its first line is all that is given up then. */
  readonly problem: string | null
}

const QUOTE = 0x22
const COMMA = 0x2c
const LINE_FEED = 0x0a
const RETURN = 0x0d

/**
 * Finds the end of the CSV record that begins at `start`; null when it isn't in there. It goes by bytes, which UTF-8
 * allows: what separates fields is never a part of another character.
 */
export function scanRecord(bytes: Uint8Array, start: number, isLast: boolean): Scanned | null {
  let place: 'field start' | 'plain' | 'quoted' | 'closed' = 'field start'
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (place === 'quoted') {
      if (byte === QUOTE) place = 'closed'
    } else if (byte === LINE_FEED) return { end: at, problem: null }
    else if (byte === COMMA) place = 'field start'
    else if (byte === QUOTE) {
      if (place === 'plain')
        return firstLine(bytes, start, isLast, 'a quote stands in a field without quotes')
      // The second of two quotes is one that was meant.
      place = 'quoted'
    } else if (place === 'closed') {
      if (byte !== RETURN || !isLineEnd(bytes, at + 1))
        return firstLine(bytes, start, isLast, 'something stands behind a closing quote')
    } else place = 'plain'
  }
  return isLast && place !== 'quoted' ? { end: bytes.length, problem: null } : null
}

/** Gives up what begins at `start`, but for the lines behind the first. Null when the first line isn't all there. */
export function firstLine(
  bytes: Uint8Array,
  start: number,
  isLast: boolean,
  problem: string,
): Scanned | null {
  const end = bytes.indexOf(LINE_FEED, start)
  if (end === -1 && !isLast) return null
  return { end: end === -1 ? bytes.length : end, problem }
}

const isLineEnd = (bytes: Uint8Array, at: number) => at === bytes.length || bytes[at] === LINE_FEED
