/** One slice of a list that is walked from row to row, as it is sent to clients. */
export interface CursorPage<T> {
  readonly content: readonly T[]
  /** As requested, within the limits of `PageRequest`; the slice itself may be shorter. */
  readonly size: number
  /** Asks for the rows that follow; null where none do. */
  readonly next_cursor: string | null
  /** Asks for the rows before these; null at the beginning of the list. */
  readonly prev_cursor: string | null
  readonly has_next: boolean
  readonly has_previous: boolean
}
