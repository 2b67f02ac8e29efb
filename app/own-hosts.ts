import { ownOriginOf } from 'pergola/app'
import { currentAddress } from 'pergola/scale'
import type { Config } from './config.ts'
import { behindTunnel } from './dev/tunnels.ts'
import { shardOf } from './shard-of.ts'

/** Returns the hosts and the origin of the application: those of `BASE_URL` in production. */
export function ownHosts(config: Config) {
  const { base_url, host } = config.server
  const baseUrl = config.profile === 'production' ? base_url : undefined
  const own = ownOriginOf({ baseUrl, host, subdomains: hasSubdomains(config) })
  if (config.profile === 'development') return behindTunnel(own, base_url)
  return { ...own, ownOrigins: own.ownOrigin }
}

/** Returns whether each account or shard has a subdomain of `BASE_URL`. */
export const hasSubdomains = ({ server, database }: Config): boolean =>
  server.subdomains || database.shards.length > 0

/**
 * Returns the address of the application without a request: that of an account with a subdomain, else `BASE_URL` or this
 * machine, and with shards the subdomain of the shard.
 */
export function ownAddress(config: Config, subdomain?: string): string {
  if (subdomain !== undefined && !hasSubdomains(config))
    throw new Error('Accounts have no subdomains. Set subdomains = true under [server] in app/config.toml.')
  const { base_url, port } = config.server
  return currentAddress(base_url ?? `http://localhost:${port}`, shardOf, subdomain)
}
