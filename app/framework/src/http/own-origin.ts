import type { Request } from 'express'

/** The hosts and the origin of this application. */
export interface OwnOrigin {
  isOwnHost: (host: string) => boolean
  ownOrigin: (req: Request) => string
}

interface Address {
  /** The address that browsers use, in production; undefined in development. */
  readonly baseUrl: string | undefined
  /** The host that the server listens on. */
  readonly host: string
}

/**
 * Returns which hosts and which origin belong to this application, for `requestChecks` and `refuseCrossOrigin`. If
 * `baseUrl` is set, only its host and origin do. Otherwise `localhost` and `host` do, or all hosts if the server
 * listens on `0.0.0.0` or `::`. Throws a `TypeError` if `baseUrl` is not a URL.
 */
export function ownOriginOf({ baseUrl, host: listening }: Address): OwnOrigin {
  if (baseUrl !== undefined) {
    const { host, origin } = new URL(baseUrl)
    return { isOwnHost: (name) => name.toLowerCase() === host, ownOrigin: () => origin }
  }
  // Rejects other host names that resolve to this server (DNS rebinding), unless it listens on all addresses.
  const names = new Set(['localhost', '127.0.0.1', '[::1]', listening])
  const everywhere = listening === '0.0.0.0' || listening === '::'
  return {
    isOwnHost: (name) => everywhere || names.has(name.toLowerCase().replace(/:\d+$/, '')),
    ownOrigin: (req) => `${req.protocol}://${req.headers.host}`,
  }
}
