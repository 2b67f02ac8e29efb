import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import type { LogPosition } from './log-position.ts'
import type { ReplicaOptions } from './replica-options.ts'

/** The requirements of a list for its replica. */
export interface Requirements extends Pick<ReplicaOptions, 'maxLag' | 'timeout'> {
  /** The position after the last write of the caller. */
  readonly position: LogPosition | null
}

interface Answer {
  /** When it arrived, as `performance.now()`. */
  readonly at: number
  /** The replica has everything that was committed until this time. */
  readonly freshAt: number
  /** Null for an engine without positions. */
  readonly replayed: LogPosition | null
  /** When its server started. */
  readonly started: string
}

export const NOT_YET = 'It has not answered yet.'
export const NO_PRIMARY = 'The primary has not answered yet.'

/** A physical replica of the primary, and its last answer. */
export class Replica {
  /** Its host, port and database. */
  readonly name: string
  readonly db: Kysely<Tables>
  #answer: Answer | null = null
  #problem: string | null = NOT_YET
  /** Whether the primary has since written as much as it had replayed in an answer. */
  #isConfirmed = false
  /** The answer that was ahead of the primary. */
  #fork: Answer | null = null

  constructor(name: string, db: Kysely<Tables>) {
    this.name = name
    this.db = db
  }

  update(answer: Answer): void {
    this.#answer = answer
    this.#problem = null
    this.#isConfirmed ||= answer.replayed === null
  }

  /**
   * Compares its last answer with the position that the primary had later, and confirms that it follows this primary.
   * Returns false if it was ahead.
   */
  confirm(position: LogPosition, askedAt: number): boolean {
    const answer = this.#answer
    if (answer === null || answer.at >= askedAt || answer.replayed === null) return true
    this.#isConfirmed = answer.replayed <= position
    if (!this.#isConfirmed) this.#fork = answer
    return this.#isConfirmed
  }

  /**
   * Returns whether it has records that the primary lacks: it followed the previous primary, and a replica with fewer was
   * promoted. When the primary has written as much, its position looks like that of others. So this holds until it was
   * rebuilt, which restarts it and changes its position.
   */
  isForked({ started, replayed }: Pick<Answer, 'started' | 'replayed'>): boolean {
    if (this.#fork !== null && this.#fork.started !== started && this.#fork.replayed !== replayed)
      this.#fork = null
    return this.#fork !== null
  }

  /** Remembers why it can't be read until it answers again. */
  markUnreadable(problem: string): void {
    this.#answer = null
    this.#problem = problem
    this.#isConfirmed = false
  }

  /** Why it can't be read, in one sentence. Null if it can. */
  get problem(): string | null {
    return this.#problem ?? (this.#isConfirmed ? null : NO_PRIMARY)
  }

  get replayed(): LogPosition | null {
    return this.#answer?.replayed ?? null
  }

  /** Returns how old its rows may be, in milliseconds; `Infinity` while nothing is known, and without positions. */
  lag(now = performance.now()): number {
    return this.replayed === null || this.#answer === null ? Infinity : now - this.#answer.freshAt
  }

  fulfils({ position, maxLag, timeout }: Requirements, now = performance.now()): boolean {
    const answer = this.#answer
    if (answer === null || !this.#isConfirmed) return false
    if (now - answer.at > timeout || now - answer.freshAt > maxLag) return false
    return position === null || (answer.replayed !== null && answer.replayed >= position)
  }
}
