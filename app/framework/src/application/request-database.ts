import type { IncomingMessage } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import type { Kysely } from 'kysely'
import { withDatabase } from '../database/executor.ts'
import { ownWrites } from '../scale/own-writes.ts'
import { watchedReplicas } from '../scale/read-replicas.ts'
import { currentMembership, type ShardOf, Shards } from '../scale/shards.ts'
import { Unavailable } from '../http/errors.ts'
import { misdirected } from '../http/security/request-checks.ts'
import type { Tables } from '../resource/tables.ts'

/** The options of `inDatabase`. */
export interface RequestDatabase {
  /** Returns the shard of a request. Required with several databases. */
  readonly shardOf?: ShardOf
  /** Whether the database was checked. Until then, requests are refused (503). Defaults to true. */
  readonly isStarted?: () => boolean
}

/**
 * Returns middleware: everything that a request reads and writes is in this database, or in the shard that `shardOf`
 * returns, from its session on. A request of no shard is refused (421), like one to an unknown host. With replicas, callers
 * see their own writes.
 *
 * A shard is refused (503) until its database was checked.
 * Mount it behind `requestChecks`, so that `shardOf` may trust the host.
 */
export function inDatabase(
  db: Kysely<Tables> | Shards,
  { shardOf = () => null, isStarted = () => true }: RequestDatabase = {},
): RequestHandler {
  const databaseFor = db instanceof Shards ? shardFinder(db, shardOf) : () => db
  const seeOwnWrites = ownWritesIn(db)
  return function inDatabase(req, res, next) {
    if (!isStarted()) throw new Unavailable('the database was not reachable yet')
    withDatabase(databaseFor(req, res), () => seeOwnWrites(req, res, next), { request: req })
  }
}

/** Returns the middleware for callers of lists that are read from replicas. It does nothing without replicas. */
function ownWritesIn(db: Kysely<Tables> | Shards): RequestHandler {
  const databases = db instanceof Shards ? db.databases : [db]
  const lags = databases.flatMap((one) => watchedReplicas(one)?.options.maxLag ?? [])
  return lags.length > 0 ? ownWrites(Math.max(...lags)) : (_req, _res, next) => next()
}

const shardFinder =
  (shards: Shards, shardOf: ShardOf) =>
  (req: Request, res: Response): Kysely<Tables> => {
    const name = shards.nameFor(req, shardOf)
    const db = name === null ? undefined : shards.get(name)
    // Never another shard in its place: its ids are those of other tenants.
    if (name === null || db === undefined) throw misdirected()
    res.shard = name
    if (!shards.isChecked(name)) throw new Unavailable(`the shard ${name} was not checked yet`)
    return db
  }

/** Returns a function for the shard of a request, which has a limit of requests of its own. Undefined without shards. */
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
 * Returns the address of an account for the links of tasks and jobs, which have no request: `https://acme.example.org` for
 * the subdomain `acme`. By default, that of the running code's shard, or `url` without shards. Call it within
 * `withDatabase`.
 *
 * Throws if the subdomain has other characters than letters, digits and hyphens, and if `shardOf` doesn't find the
 * running code's shard at the address: the link would lead to another database, or to none.
 */
export function currentAddress(url: string, shardOf: ShardOf, subdomain?: string): string {
  const membership = currentMembership()
  if (membership === undefined) return subdomain === undefined ? url : subdomainOf(url, subdomain).origin
  const { name, shards } = membership
  const address = addressIn(shards, name, { url, shardOf, subdomain })
  if (address !== null) return address
  throw new Error(
    `shardOf doesn't return ${name} for ${subdomainOf(url, subdomain ?? name).host}, so that links there would be ` +
      `refused. Pass the subdomain of an account in this shard, such as absoluteUrl({ config, subdomain: 'acme' }, path).`,
  )
}

interface Addressing {
  readonly url: string
  readonly shardOf: ShardOf
  /** Defaults to the name of the shard. */
  readonly subdomain?: string | undefined
}

/** Returns the address of a subdomain, or null if `shardOf` finds another shard or none for it. */
function addressIn(
  shards: Shards,
  name: string,
  { url, shardOf, subdomain = name }: Addressing,
): string | null {
  const { origin, host } = subdomainOf(url, subdomain)
  return shardIn(shards, shardOf, host) === name ? origin : null
}

function subdomainOf(url: string, subdomain: string): URL {
  if (!/^[a-z0-9-]+$/i.test(subdomain))
    throw new Error(`${JSON.stringify(subdomain)} is not a subdomain. Expected: letters, digits and hyphens.`)
  const address = new URL(url)
  address.hostname = `${subdomain}.${address.hostname}`
  return address
}

function shardIn(shards: Shards, shardOf: ShardOf, host: string): string | null {
  try {
    return shards.nameFor({ headers: { host }, url: '/', method: 'GET' } as IncomingMessage, shardOf)
  } catch {
    return null
  }
}
