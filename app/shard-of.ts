import type { ShardOf } from 'pergola/scale'

/**
 * Returns the name of the shard that a request belongs to, if [[database.shards]] is configured. This one is the first part
 * of the host: `eu.example.org` is in the shard `eu`. With several tenants in a shard, return the shard of the tenant. Null
 * refuses the request.
 */
export const shardOf: ShardOf = ({ headers }) => headers.host?.split('.', 1)[0] ?? null
