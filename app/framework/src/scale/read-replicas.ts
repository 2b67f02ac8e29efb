import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import type { ConnectOptions } from '../database/connect-options.ts'
import { replicasOf } from '../database/connect.ts'
import type { ReadReplicas } from '../database/unit.ts'
import type { ReplicaOptions } from './replica-options.ts'
import { Replicas } from './replicas.ts'

/**
 * Returns the option `replicas` of `connect`: lists are then read from these databases.
 *
 * ```ts
 * connect({ url, …, replicas: readReplicas({ urls: [replicaUrl], maxLag: 5_000, timeout: 1_000 }) })
 * ```
 */
export const readReplicas =
  (replicas: ReplicaOptions) =>
  (options: ConnectOptions): ReadReplicas =>
    new Replicas(options, replicas)

/** Returns the replicas of a database that were opened with `readReplicas`. */
export function watchedReplicas(db: Kysely<Tables>): Replicas | undefined {
  const replicas = replicasOf(db)
  return replicas instanceof Replicas ? replicas : undefined
}
