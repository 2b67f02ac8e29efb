import type { RequestHandler } from 'express'
import { withDatabase } from '../database/executor.ts'
import { knownColumns } from '../database/known-columns.ts'
import type { Shards, ShardOf } from '../database/shards.ts'
import { Unavailable } from '../http/errors.ts'
import { misdirected } from '../http/request-checks.ts'

/**
 * Returns middleware in place of `withDatabase`: everything that a request reads and writes is in the shard that `shardOf`
 * returns, from its session on. A request of no shard is refused (421), like one to an unknown host.
 *
 * A shard is refused (503) until `readColumns` was called for its database, which its check at the start does at its end.
 * Mount it behind `requestChecks`, so that `shardOf` may trust the host.
 */
export function inShard(shards: Shards, shardOf: ShardOf): RequestHandler {
  return function inShard(req, res, next) {
    const name = shards.nameFor(req, shardOf)
    const db = name === null ? undefined : shards.get(name)
    // Never another shard in its place: its ids are those of other tenants.
    if (name === null || db === undefined) throw misdirected()
    res.shard = name
    if (knownColumns(db) === undefined) throw new Unavailable(`the shard ${name} was not checked yet`)
    withDatabase(db, next, { request: req })
  }
}
