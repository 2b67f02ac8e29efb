import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { Pool } from 'pg'

/** The message of a traced operation, which gets its error or its result. */
interface Outcome {
  readonly error?: unknown
}

export interface Statement extends Outcome {
  /** The SQL, without its values. */
  readonly text: string
}

export interface Decision extends Outcome {
  readonly action: string
  /** The name of the resource. */
  readonly resource: string
  readonly result?: DecisionResult
}

interface DecisionResult {
  readonly allowed: boolean
  readonly cause: string
  /** The reason of `deny`. */
  readonly denial?: { readonly reason: string }
  /** Thrown by the rule. */
  readonly error?: unknown
}

export interface JobAttempt extends Outcome {
  readonly job: string
  readonly id: string
  readonly attempt: number
}

/** The channels of Pergola, in node:diagnostics_channel. */
export interface Messages {
  readonly 'pergola:statement': Statement
  readonly 'pergola:decision': Decision
  readonly 'pergola:job': JobAttempt
}

/** Calls `begin` and `end` for each operation of a channel. They must not throw. Returns a function that ends it. */
export function observe<Name extends keyof Messages>(
  name: Name,
  begin: (message: Messages[Name]) => void,
  end: (message: Messages[Name]) => void,
): () => void {
  const { start, asyncEnd } = tracingChannel(name)
  const onStart = (message: unknown) => begin(message as Messages[Name])
  const onEnd = (message: unknown) => end(message as Messages[Name])
  start.subscribe(onStart)
  asyncEnd.subscribe(onEnd)
  return () => {
    start.unsubscribe(onStart)
    asyncEnd.unsubscribe(onEnd)
  }
}

/** Calls `opened` for each connection pool that opens. Returns a function that ends it. */
export function observePools(opened: (pool: Pool) => void): () => void {
  const pools = channel('pergola:pool')
  const onOpen = (pool: unknown) => opened(pool as Pool)
  pools.subscribe(onOpen)
  return () => pools.unsubscribe(onOpen)
}
