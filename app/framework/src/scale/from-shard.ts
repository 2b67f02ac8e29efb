import { databaseContext, withFence, withinContext } from '../database/executor.ts'
import type { Fence } from '../database/unit.ts'
import { currentMembership } from './shards.ts'

/**
 * Returns the names of the shards, for tasks and commands that read one after the other. Throws without shards.
 *
 * ```ts
 * for (const name of shardNames()) await fromShard(name, () => posts.asSystem('recount').count())
 * ```
 */
export const shardNames = (): readonly string[] => (currentMembership() ?? noShards()).shards.names

/**
 * Calls `work` with the database of a shard, and returns its result: for tasks, the console and commands. A task that lost
 * its lease throws there too, but the lease is not locked, since it is a row of another database.
 *
 * Throws if no shard has this name, within a transaction, and in a request: its user is a user of its own shard.
 */
export async function fromShard<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const { db, unit } = databaseContext()
  refuseRequest('fromShard')
  if (db.isTransaction)
    throw new Error('fromShard can’t be called in a transaction, which is one of another database.')
  const { shards } = currentMembership() ?? noShards()
  const shard = shards.get(name)
  if (shard === undefined)
    throw new Error(`No shard is named ${JSON.stringify(name)}. Shards: ${shards.names.join(', ')}.`)
  const fence = unit.fence && fenceBeside(unit.fence)
  try {
    return await withFence(shard, { fence, cause: unit.cause }, work)
  } catch (error) {
    // The innermost shard, if calls are nested.
    if (error instanceof Error && !shardsOfErrors.has(error)) shardsOfErrors.set(error, name)
    throw error
  }
}

const shardsOfErrors = new WeakMap<Error, string>()

/** Returns the shard in which an error was thrown. Undefined if it was not thrown within `fromShard` or `acrossTenants`. */
export const shardOfError = (error: unknown): string | undefined => shardsOfErrors.get(error as Error)

/** Throws in a request, which reads the shard that `shardOf` returned. */
export function refuseRequest(name: string): void {
  if (databaseContext().unit.cause.request !== undefined)
    throw new Error(
      `${name} can’t be called in a request, which reads the shard of its own user. Call it in a task or a command.`,
    )
}

/** Returns a fence for statements of another shard. The fence sends its own statements to the database of its task. */
function fenceBeside(fence: Fence): Fence {
  const own = databaseContext()
  return { check: (sql) => fence.check(sql), hold: () => withinContext(own, () => fence.hold()) }
}

function noShards(): never {
  throw new Error('No shards are configured. Add them to app/config.toml: [[database.shards]].')
}
