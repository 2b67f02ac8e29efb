import type { IncomingMessage } from 'node:http'
import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { databaseContext } from '../database/executor.ts'

/**
 * Returns the name of the shard that a request belongs to, by its host, its path or a header. Null refuses the request. It
 * is called before the body and the session are read, and more than once.
 */
export type ShardOf = (req: IncomingMessage) => string | null

const memberships = new WeakMap<Kysely<Tables>, { readonly name: string; readonly shards: Shards }>()

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
  /** Returns whether the database of a shard was checked, so that it may serve requests. */
  readonly isChecked: (name: string) => boolean

  private constructor(databases: ReadonlyMap<string, Kysely<Tables>>, isChecked: (name: string) => boolean) {
    this.#databases = databases
    this.isChecked = isChecked
  }

  /**
   * Makes databases the shards of one application, by their names. Call it before they are used. Requests of a shard are
   * refused (503) until `isChecked` returns true for its name; by default, it always does.
   */
  static of(
    databases: Iterable<readonly [name: string, db: Kysely<Tables>]>,
    isChecked: (name: string) => boolean = () => true,
  ): Shards {
    const shards = new Shards(new Map(databases), isChecked)
    for (const [name, db] of shards.#databases) memberships.set(db, { name, shards })
    return shards
  }

  /** The names of the shards. */
  get names(): readonly string[] {
    return [...this.#databases.keys()]
  }

  get databases(): readonly Kysely<Tables>[] {
    return [...this.#databases.values()]
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
export const currentMembership = () => memberships.get(databaseContext().unit.db)
