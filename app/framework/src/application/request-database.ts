import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import type { Kysely } from 'kysely'
import { withDatabase } from '../database/executor.ts'
import { knownColumns } from '../database/known-columns.ts'
import { currentMembership, type ShardOf, Shards } from '../database/shards.ts'
import { Unavailable } from '../http/errors.ts'
import { misdirected } from '../http/request-checks.ts'
import type { Tables } from '../resource/tables.ts'

/**
 * Returns middleware: everything that a request reads and writes is in this database, or in the shard that `shardOf`
 * returns, from its session on. A request of no shard is refused (421), like one to an unknown host.
 *
 * A shard is refused (503) until `readColumns` was called for its database, which its check at the start does at its end.
 * Mount it behind `requestChecks`, so that `shardOf` may trust the host.
 */
export function inDatabase(db: Kysely<Tables> | Shards, shardOf: ShardOf): RequestHandler {
  if (db instanceof Shards) return inShard(db, shardOf)
  return function inDatabase(req, _res, next) {
    withDatabase(db, next, { request: req })
  }
}

function inShard(shards: Shards, shardOf: ShardOf): RequestHandler {
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

/** Returns `shardFor` of `useHttp`, so that each shard has a limit of requests of its own. Undefined without shards. */
export const shardFor = (db: Kysely<Tables> | Shards, shardOf: ShardOf) =>
  db instanceof Shards ? (req: IncomingMessage) => db.nameFor(req, shardOf) : undefined

/**
 * Returns the addresses of an application for its log: `url`, or with shards, the subdomains of `url` that are the names of
 * shards. Leaves out those that `shardOf` doesn't recognize, because it reads another part of the request.
 *
 * `['http://eu.localhost:3000', 'http://us.localhost:3000']`
 */
export function addressesOf(url: string, db: Kysely<Tables> | Shards, shardOf: ShardOf): string[] {
  if (!(db instanceof Shards)) return [url]
  return db.names.map((name) => addressIn(db, name, { url, shardOf })).filter((address) => address !== null)
}

/**
 * Returns the address of the running code's shard, for the links of tasks and jobs, which have no request:
 * `https://eu.example.org`. Returns `url` without shards, and if `shardOf` doesn't recognize the subdomain. Call it within
 * `withDatabase`.
 */
export function currentAddress(url: string, shardOf: ShardOf): string {
  const membership = currentMembership()
  if (membership === undefined) return url
  return addressIn(membership.shards, membership.name, { url, shardOf }) ?? url
}

interface Addressing {
  readonly url: string
  readonly shardOf: ShardOf
}

/** Returns the subdomain with the name of the shard, or null if `shardOf` finds another shard or none for it. */
function addressIn(shards: Shards, name: string, { url, shardOf }: Addressing): string | null {
  const address = new URL(url)
  address.hostname = `${name}.${address.hostname}`
  const { origin, host } = address
  return shardIn(shards, shardOf, host) === name ? origin : null
}

function shardIn(shards: Shards, shardOf: ShardOf, host: string): string | null {
  try {
    return shards.nameFor({ headers: { host }, url: '/', method: 'GET' } as IncomingMessage, shardOf)
  } catch {
    return null
  }
}
