import type { IncomingMessage } from 'node:http'
import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { type Fence, place, withFence, within } from './executor.ts'

/**
 * Returns the name of the shard that a request belongs to, by its host, its path or a header. Null refuses the request. It
 * is called before the body and the session are read, and more than once.
 */
export type ShardOf = (req: IncomingMessage) => string | null

interface Membership {
  readonly name: string
  readonly shards: Shards
}

const memberships = new WeakMap<Kysely<Tables>, Membership>()

/**
 * The databases of an application whose tenants live in several: each tenant in one of them, with its users, its sessions
 * and all records that refer to them. No statement reads two databases.
 *
 * ```ts
 * const shards = Shards.of([['eu', connect(…)], ['us', connect(…)]])
 * ```
 */
export class Shards {
  readonly #databases: ReadonlyMap<string, Kysely<Tables>>

  private constructor(databases: ReadonlyMap<string, Kysely<Tables>>) {
    this.#databases = databases
  }

  /** Makes databases the shards of one application, by their names. Call it before they are used. */
  static of(databases: Iterable<readonly [name: string, db: Kysely<Tables>]>): Shards {
    const shards = new Shards(new Map(databases))
    for (const [name, db] of shards.#databases) memberships.set(db, { name, shards })
    return shards
  }

  /** The names of the shards. */
  get names(): readonly string[] {
    return [...this.#databases.keys()]
  }

  /** Returns the database of a shard. Undefined if no shard has this name. */
  get(name: string): Kysely<Tables> | undefined {
    return this.#databases.get(name)
  }

  /** Returns the name of the request's shard. Null if `shardOf` returns anything but the name of a shard. */
  nameFor(req: IncomingMessage, shardOf: ShardOf): string | null {
    const name: unknown = shardOf(req)
    return typeof name === 'string' && this.#databases.has(name) ? name : null
  }
}

/** Returns the shard of the running code, and all shards. Undefined without shards. */
export const currentMembership = (): Membership | undefined => memberships.get(place().unit.db)

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
  const { db, unit } = place()
  refuseRequest('fromShard')
  if (db.isTransaction)
    throw new Error('fromShard can’t be called in a transaction, which is one of another database.')
  const { shards } = currentMembership() ?? noShards()
  const shard = shards.get(name)
  if (shard === undefined)
    throw new Error(`No shard is named ${JSON.stringify(name)}. Shards: ${shards.names.join(', ')}.`)
  return withFence(shard, { fence: unit.fence && fenceBeside(unit.fence), cause: unit.cause }, work)
}

/** Throws in a request, which reads the shard that `shardOf` returned. */
export function refuseRequest(name: string): void {
  if (place().unit.cause.request !== undefined)
    throw new Error(
      `${name} can’t be called in a request, which reads the shard of its own user. Call it in a task or a command.`,
    )
}

/** Returns a fence for statements of another shard. The fence sends its own statements to the database of its task. */
function fenceBeside(fence: Fence): Fence {
  const own = place()
  return { check: (sql) => fence.check(sql), hold: () => within(own, () => fence.hold()) }
}

function noShards(): never {
  throw new Error('No shards are configured. Add them to app/config.toml: [[database.shards]].')
}
