import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { executor } from '../database/executor.ts'
import { writePosition } from './log-position.ts'
import { watchedReplicas } from './read-replicas.ts'

/** The state of a replica, as this process observes it. */
export interface ReplicaState {
  /** Its host, port and database. */
  readonly name: string
  /** Why lists are not read from it, in one sentence. Null if they are. */
  readonly problem: string | null
  /** How old its rows may be, in milliseconds. Null while nothing is known. */
  readonly lag: number | null
  /** How far it has replayed the primary's log, such as `16/B374D848`. */
  readonly position: string | null
}

/** Returns the state of each replica of a database; by default, of that of the request. Waits until each has answered, or is too late. */
export async function replicaStates(db: Kysely<Tables> = executor()): Promise<ReplicaState[]> {
  const replicas = watchedReplicas(db)
  await replicas?.answered()
  return (replicas?.all ?? []).map((replica) => {
    const lag = replica.lag()
    return {
      name: replica.name,
      problem: replica.problem,
      lag: Number.isFinite(lag) ? Math.round(lag) : null,
      position: replica.replayed === null ? null : writePosition(replica.replayed),
    }
  })
}
