import { readsAllTenants, withAllTenants } from '../rows/tenant.ts'
import { fromShard, refuseRequest } from '../scale/from-shard.ts'
import { currentMembership } from '../scale/shards.ts'
import type { Listing } from '../lists/listing.ts'
import type { Resource } from '../resource/resource.ts'

/** The reads of all shards together, for tasks. Without shards, they read the one database. */
export type AcrossTenants<R extends Resource> = Pick<Listing<R>, 'findAll' | 'count'>

/**
 * Returns `findAll` and `count` of all shards together. If one of them fails, so does the call: a part of the rows would
 * look like all of them. The other methods throw, since neither a page nor a write of several databases exists.
 */
export function acrossTenants<R extends Resource>(
  { name: resource }: R,
  methods: AcrossTenants<R> & Readonly<Record<string, unknown>>,
): AcrossTenants<R> {
  refuseRequest(`acrossTenants of ${resource}`)
  const rejected = Object.keys(methods).map((name) => [name, () => refuse(resource, name)])
  return {
    ...Object.fromEntries(rejected),
    findAll: async (options) => (await eachShard(() => methods.findAll(options))).flat(),
    count: async (options) =>
      (await eachShard(() => methods.count(options))).reduce((total, count) => total + count, 0),
  }
}

async function eachShard<Result>(read: () => Promise<Result>): Promise<Result[]> {
  const { shards } = currentMembership() ?? {}
  if (shards === undefined) return [await read()]
  // Not one tenant, whose id means another one in another shard.
  const readAll = readsAllTenants() ? () => withAllTenants(read) : read
  return Promise.all(shards.names.map((name) => fromShard(name, readAll)))
}

function refuse(resource: string, name: string): never {
  throw new Error(
    `acrossTenants() of ${resource} has no ${name}: it only has findAll and count. ` +
      `Iterate each shard: for (const name of shardNames()) await fromShard(name, () => …).`,
  )
}
