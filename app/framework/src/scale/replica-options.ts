export interface ReplicaOptions {
  /** One URL for each replica. A balancer in front of several can't be used: the one that answers must be known. */
  readonly urls: readonly string[]
  /** The largest lag of a replica that lists read, in milliseconds. */
  readonly maxLag: number
  /** Milliseconds after which a replica that doesn't answer is not read. */
  readonly timeout: number
  /** Called with a sentence when a replica begins or ceases to be read, and when it can't be read from the start. */
  readonly onChange?: (change: string) => void
}
