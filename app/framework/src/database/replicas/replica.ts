import type { Kysely } from 'kysely'
import type { Tables } from '../../resource/tables.ts'
import type { LogPosition } from './log-position.ts'

/** The requirements of a list for its replica. */
export interface Requirements {
  /** The position after the last write of the caller. */
  readonly position: LogPosition | null
  /** The largest lag, in milliseconds. */
  readonly maxLag: number
  /** Milliseconds after which an answer is no longer valid. */
  readonly timeout: number
}

interface Answer {
  /** When it arrived, as `performance.now()`. */
  readonly at: number
  /** The replica has everything that was committed until this time. */
  readonly freshAt: number
  /** Null for an engine without positions. */
  readonly replayed: LogPosition | null
}

export const NOT_YET = 'It has not answered yet.'

/** A physical replica of the primary, and its last answer. */
export class Replica {
  /** Its host, port and database. */
  readonly name: string
  readonly db: Kysely<Tables>
  #answer: Answer | null = null
  #problem: string | null = NOT_YET

  constructor(name: string, db: Kysely<Tables>) {
    this.name = name
    this.db = db
  }

  hear(answer: Answer): void {
    this.#answer = answer
    this.#problem = null
  }

  /** Notes why it can't be read until it answers again. */
  doubt(problem: string): void {
    this.#answer = null
    this.#problem = problem
  }

  /** Why it can't be read, in one sentence. Null if it can. */
  get problem(): string | null {
    return this.#problem
  }

  get replayed(): LogPosition | null {
    return this.#answer?.replayed ?? null
  }

  /** Returns how old its rows may be, in milliseconds; `Infinity` while nothing is known. */
  lag(now = performance.now()): number {
    return this.#answer === null ? Infinity : now - this.#answer.freshAt
  }

  fulfils({ position, maxLag, timeout }: Requirements, now = performance.now()): boolean {
    const answer = this.#answer
    if (answer === null || now - answer.at > timeout || now - answer.freshAt > maxLag) return false
    return position === null || (answer.replayed !== null && answer.replayed >= position)
  }
}
