import type { ReadReplicas } from './unit.ts'

export interface ConnectOptions {
  url: string
  /** The most connections of this process. */
  poolSize: number
  /** The most statements that wait for a connection; further ones are refused with `Unavailable`. */
  maxWaiting: number
  /** Milliseconds that a statement waits for a connection. */
  connectTimeout: number
  /** Milliseconds after which Postgres cancels a statement. */
  statementTimeout: number
  /** Milliseconds that a statement waits for a lock. */
  lockTimeout: number
  /** Called when a connection breaks, unless the pool is closing. */
  onConnectionError: (error: Error) => void
  /**
   * Whether statements get names, so that Postgres plans each of them once for each connection: `auto` names them on
   * direct connections, `on` also through a connection pooler, which must support it. Defaults to `auto`.
   */
  prepared?: 'auto' | 'on' | 'off'
  /** Called once for each problem of the sessions that has a remedy, such as limits that a connection pooler drops. */
  onWarning?: (problem: string) => void
  /** Called for each cursor page without a suitable index. The check explains each page once: for development. */
  onMissingIndex?: (problem: string) => void
  /** Opens the replicas that lists are read from: see `readReplicas`. */
  replicas?: (options: ConnectOptions) => ReadReplicas
  /** Called with every statement and its parameters: for tests and debugging. */
  onStatement?: (sql: string, parameters: readonly unknown[]) => void
}
