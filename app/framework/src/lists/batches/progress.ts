/** The progress of a walk through a table or a file. */
export interface Progress {
  /** Rows that the walk has returned. */
  rows: number
  /** The estimated completed share, from 0 to 1; null if the ids are UUIDs. */
  share: number | null
}
