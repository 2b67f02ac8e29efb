/** A position in the write-ahead log of Postgres, in bytes since its beginning. */
export type LogPosition = bigint

/** Returns a position of Postgres, such as `16/B374D848`. Null for any other text. */
export function readPosition(text: string): LogPosition | null {
  const parts = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text)
  return parts === null ? null : (BigInt(`0x${parts[1]}`) << 32n) + BigInt(`0x${parts[2]}`)
}

/** Returns the text of a position, as Postgres writes it. */
export const writePosition = (position: LogPosition): string =>
  `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase()

const PAGE = 8_192n
const PAGE_HEADER = 24n
const FIRST_PAGE_HEADER = 40n

/**
 * Returns the position that a replica reaches when it has replayed everything before `next`, where the primary writes its
 * next record. If that is behind the header of a page, the last record ended before the header, and an idle primary
 * writes no other: the replica would never reach it.
 */
export function endBefore(next: LogPosition, segmentSize: bigint): LogPosition {
  if (next % segmentSize === FIRST_PAGE_HEADER) return next - FIRST_PAGE_HEADER
  return next % PAGE === PAGE_HEADER ? next - PAGE_HEADER : next
}

/** A position that no replica reaches. */
export const LAST_POSITION: LogPosition = 0xffff_ffff_ffff_ffffn
