/** The end of a record. */
export interface Scanned {
  /** The index of the line feed after the record, or the number of bytes if the record is the last one. */
  readonly end: number
  /** The reason why the record is malformed, or null. A malformed record ends with its first line. */
  readonly problem: string | null
}

const QUOTE = 0x22
const COMMA = 0x2c
const LINE_FEED = 0x0a
const RETURN = 0x0d

/**
 * Finds the end of the CSV record that begins at `start`. Returns null if the bytes don't contain it. Compares bytes,
 * since in UTF-8 the byte of a comma, a quote or a line feed is never part of another character.
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
      if (place === 'plain') return firstLine(bytes, start, isLast, 'a field without quotes contains a quote')
      // A quote after a closing one is a doubled quote: the field continues.
      place = 'quoted'
    } else if (place === 'closed') {
      if (byte !== RETURN || !isLineEnd(bytes, at + 1))
        return firstLine(bytes, start, isLast, 'a closing quote is followed by text')
    } else place = 'plain'
  }
  return isLast && place !== 'quoted' ? { end: bytes.length, problem: null } : null
}

/**
 * Returns the line at `start` as a malformed record, so that the next line is read as a record again. Returns null if
 * the bytes don't contain the end of the line.
 */
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
