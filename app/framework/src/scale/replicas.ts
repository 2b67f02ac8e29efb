import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import type { ConnectOptions } from '../database/connect-options.ts'
import { isConnectionLoss } from '../database/database-failure.ts'
import type { ReadReplica, ReadReplicas, Unit } from '../database/unit.ts'
import { Postgres } from '../database/postgres-dialect.ts'
import { SessionPool } from '../database/session-pool.ts'
import { hasState, SqlState } from '../database/sql-states.ts'
import type { ReplicaOptions } from './replica-options.ts'
import { clientOf, rankOf } from './preferred.ts'
import { endBefore, LAST_POSITION, readPosition } from './log-position.ts'
import { PrimaryLog } from './primary-log.ts'
import {
  ASK_PRIMARY,
  ASK_REPLICA,
  ASK_WITHOUT_POSITION,
  lacksPositions,
  type PrimaryAnswer,
  refusalOf,
  type ReplicaAnswer,
} from './questions.ts'
import { NO_PRIMARY, NOT_YET, Replica } from './replica.ts'
import { PAUSE, watch } from './watch.ts'

const AHEAD =
  'It has replayed more than the primary had written, as after a failover. Rebuild it from the primary.'

/** The replicas of a database. Each process watches them itself, so that it needs no other for its decisions. */
export class Replicas implements ReadReplicas {
  readonly all: readonly Replica[]
  readonly #primaryUrl: string
  readonly options: ReplicaOptions
  readonly #pools = new Map<Replica, SessionPool>()
  readonly #log: PrimaryLog
  /** Those that were reported as not read, and not as read since then. */
  readonly #reported = new Set<Replica>()
  /** The primary's system identifier, once it has answered. */
  #system: string | null = null
  /** False for an engine without positions in its log. */
  #hasPositions = true
  /** Why the primary didn't tell the position of its log, in one sentence, if it refused. */
  #refusal: string | null = null
  #watches: (() => Promise<void>)[] | null = null

  constructor(options: ConnectOptions, replicas: ReplicaOptions) {
    this.options = replicas
    this.#primaryUrl = options.url
    this.#log = new PrimaryLog(replicas.maxLag)
    this.all = replicas.urls.map((url) => this.#open(url, options))
  }

  /**
   * Returns the replica that lists of this unit read, or null for the primary. A unit reads one replica, and a client the
   * same one while it can be read.
   */
  of(unit: Unit): Replica | null {
    this.#watches ??= this.#startWatching()
    const requirements = { ...this.options, position: unit.position }
    const now = performance.now()
    if (unit.replica !== undefined) {
      const known = this.#own(unit.replica)
      return known?.fulfils(requirements, now) === true ? known : null
    }
    const client = clientOf(unit)
    let best: Replica | null = null
    let bestRank = -1
    for (const replica of this.all) {
      const rank = rankOf(client, replica.name)
      if (rank > bestRank && replica.fulfils(requirements, now)) [best, bestRank] = [replica, rank]
    }
    // A task may run for hours. Its first list starts the watches, so that no replica has answered yet.
    if (best !== null || unit.cause.request !== undefined) unit.replica = best
    return best
  }

  /**
   * Returns whether the primary may answer a read that failed on a replica. Not after a timeout: a slow query would run
   * twice.
   */
  isAtFault(replica: ReadReplica, error: unknown): boolean {
    const own = this.#own(replica)
    if (own !== undefined && isConnectionLoss(error)) this.#markUnreadable(own, 'Its connection broke.')
    else if (!REPLICA_STATES.some((state) => hasState(error, state))) return false
    return true
  }

  /** Resolves when each replica has answered, or its timeout is over. */
  async answered(): Promise<void> {
    this.#watches ??= this.#startWatching()
    const deadline = performance.now() + this.options.timeout + 2 * PAUSE
    while (
      this.all.some(({ problem }) => problem === NOT_YET || problem === NO_PRIMARY) &&
      performance.now() < deadline
    )
      await sleep(20)
  }

  async end(): Promise<void> {
    this.#watches ??= []
    const pools = [...this.#pools.values()].map((pool) => pool.end())
    await Promise.all([...this.#watches.map((end) => end()), ...pools])
  }

  #own(replica: ReadReplica | null): Replica | undefined {
    return this.all.find((one) => one === replica)
  }

  #open(url: string, options: ConnectOptions): Replica {
    const own = { url, connectTimeout: this.options.timeout, onConnectionError: () => {} }
    const pool = new SessionPool({ ...options, ...own }, 'replica')
    const { host, pathname } = new URL(url)
    const replica = new Replica(`${host}${pathname}`, new Kysely<Tables>({ dialect: new Postgres(pool) }))
    this.#pools.set(replica, pool)
    return replica
  }

  #startWatching(): (() => Promise<void>)[] {
    const { urls, timeout } = this.options
    const primary = watch<PrimaryAnswer>({
      url: this.#primaryUrl,
      timeout,
      question: () => ASK_PRIMARY,
      onAnswer: (answer, askedAt) => this.#onPrimaryAnswer(answer, askedAt),
      onFailure: (error) => this.#onPrimaryFailure(error),
    })
    const replicas = this.all.map((replica, index) =>
      watch<ReplicaAnswer>({
        url: urls[index] as string,
        timeout,
        question: () => (this.#hasPositions ? ASK_REPLICA : ASK_WITHOUT_POSITION),
        onAnswer: (answer) => this.#onAnswer(replica, answer),
        onFailure: (error) =>
          this.#markUnreadable(
            replica,
            refusalOf(error, urls[index] as string) ?? `It doesn't answer: ${reasonOf(error)}.`,
          ),
      }),
    )
    return [primary, ...replicas]
  }

  #onPrimaryFailure(error: Error): void {
    if (lacksPositions(error)) this.#hasPositions = false
    this.#refusal = refusalOf(error, this.#primaryUrl)
    // Their lag is unknown.
    if (this.#refusal !== null) for (const replica of this.all) this.#markUnreadable(replica, this.#refusal)
  }

  #onPrimaryAnswer({ system, next, segment, timeline }: PrimaryAnswer, askedAt: number): void {
    const position = readPosition(next) ?? LAST_POSITION
    this.#system = system
    this.#hasPositions = true
    this.#refusal = null
    this.#log.add({ time: performance.now(), position: endBefore(position, BigInt(segment)), timeline })
    for (const replica of this.all) {
      const wasRead = replica.problem === null
      if (replica.confirm(position, askedAt)) this.#announce(replica, wasRead)
      else this.#markUnreadable(replica, AHEAD)
    }
  }

  #onAnswer(replica: Replica, answer: ReplicaAnswer): void {
    const { started } = answer
    const replayed = answer.replayed === null ? null : readPosition(answer.replayed)
    const problem = this.#problemOf(answer) ?? (replica.isForked({ started, replayed }) ? AHEAD : null)
    if (problem !== null) return this.#markUnreadable(replica, problem)
    const at = performance.now()
    // Without positions, the lag is unknown. The cookie of a write then keeps its browser on the primary.
    const lag = replayed === null ? 0 : this.#log.lagOf(replayed, at)
    const wasRead = replica.problem === null
    replica.update({ at, freshAt: at - lag, replayed, started })
    this.#announce(replica, wasRead)
  }

  #announce(replica: Replica, wasRead: boolean): void {
    if (wasRead || replica.problem !== null) return
    this.#reported.delete(replica)
    const unbounded = replica.replayed === null ? UNBOUNDED : ''
    this.options.onChange?.(`Lists are read from the replica ${replica.name}.${unbounded}`)
  }

  #problemOf({ recovering, system, replayed }: ReplicaAnswer): string | null {
    if (!recovering) return 'It is not a replica: it accepts writes.'
    if (this.#refusal !== null) return this.#refusal
    if (!this.#hasPositions) return null
    if (this.#system === null) return NO_PRIMARY
    if (system !== this.#system) return 'It is a replica of another database server.'
    return replayed === null ? 'It has replayed nothing yet.' : null
  }

  /** Ends the replica's connections, so that the statements that wait for it are sent to the primary. */
  #markUnreadable(replica: Replica, problem: string): void {
    // Each replica lacks the primary's answer for a moment after the start.
    if (problem !== NO_PRIMARY && !this.#reported.has(replica)) {
      this.#reported.add(replica)
      this.options.onChange?.(`Lists are not read from the replica ${replica.name}. ${problem}`)
    }
    replica.markUnreadable(problem)
    this.#pools.get(replica)?.abort()
  }
}

/** Returns the message of an error, or its code: the error of a host with several addresses has no message. */
const reasonOf = ({ message, code = 'no reason' }: NodeJS.ErrnoException): string => message || code

const UNBOUNDED = ' This engine has no log positions, so that nothing bounds the lag.'

/** A conflict with the recovery, and a table or column of a migration that the replica has not replayed yet. */
const REPLICA_STATES = [SqlState.serializationFailure, SqlState.undefinedTable, SqlState.undefinedColumn]
