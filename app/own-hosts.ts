import { ownOriginOf } from 'pergola'
import type { Config } from './config.ts'

/** Returns the hosts and the origin of the application: those of `BASE_URL` in production. */
export const ownHosts = (
  { profile, server, database }: Config,
  subdomains = server.subdomains || database.shards.length > 0,
): ReturnType<typeof ownOriginOf> =>
  ownOriginOf({
    baseUrl: profile === 'production' ? server.base_url : undefined,
    host: server.host,
    subdomains,
  })

/** Returns the address of the application without a request: `BASE_URL`, or this machine. */
export const ownAddress = ({ server }: Config): string => server.base_url ?? `http://localhost:${server.port}`
