import { QueryCreator } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { replicasOf } from './connect.ts'
import { executor, databaseContext, within } from './executor.ts'
import type { ReadReplica, ReadReplicas } from './unit.ts'

/** Where a list is read: for `anywhere`, from a replica even without a request, such as in a task. */
export type Reads = 'primary' | 'replica' | 'anywhere'

/**
 * Calls `read` with a replica as its database, if one has caught up with the caller's last write; else with the primary. If the
 * replica fails, calls it again with the primary.
 *
 * After a write of the same request, and in a transaction, it is always the primary.
 */
export function readingReplica<Result>(reads: Reads, read: () => Promise<Result>): Promise<Result> {
  if (reads === 'primary') return read()
  const { db, unit } = databaseContext()
  const replicas = replicasOf(db)
  const isAllowed = unit.writes === 0 && (unit.cause.request !== undefined || reads === 'anywhere')
  const replica = isAllowed ? replicas?.of(unit) : null
  return replicas === undefined || replica == null ? read() : onReplica(replicas, replica, read)
}

/** Returns a builder of queries that are read like lists when they are executed: see `readingReplica`. */
export function listQueries(reads: Reads): QueryCreator<Tables> {
  const primary = executor().getExecutor()
  return new QueryCreator({
    executor: primary.withConnectionProvider({
      provideConnection: (consumer) =>
        readingReplica(reads, () => databaseContext().db.getExecutor().provideConnection(consumer)),
    }),
  })
}

async function onReplica<Result>(
  replicas: ReadReplicas,
  replica: ReadReplica,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await within({ db: replica.db }, read)
  } catch (error) {
    if (!replicas.isAtFault(replica, error)) throw error
    databaseContext().unit.replica = null
    return read()
  }
}
