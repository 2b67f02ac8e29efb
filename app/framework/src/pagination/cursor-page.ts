/** One page of a list without page numbers, as the API sends it. */
export interface CursorPage<T> {
  readonly content: readonly T[]
  /** The requested size, within the limits of `PageRequest`. `content` may have fewer rows. */
  readonly size: number
  /** The token of the next page; null at the end of the list. */
  readonly next_cursor: string | null
  /** The token of the previous page; null at the beginning of the list. */
  readonly prev_cursor: string | null
  readonly has_next: boolean
  readonly has_previous: boolean
}
