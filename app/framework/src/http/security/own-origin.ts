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
  /** Whether the subdomains are own hosts too, each with an origin of its own. Defaults to false. */
  readonly subdomains?: boolean
}

/**
 * Returns which hosts and which origin belong to this application, for `requestChecks` and `refuseCrossOrigin`. If
 * `baseUrl` is set, only its host and origin do. Otherwise `localhost` and `host` do, or all hosts if the server
 * listens on `0.0.0.0` or `::`. Throws a `TypeError` if `baseUrl` is not a URL.
 *
 * With `subdomains`, `acme.example.org` and `acme.localhost` are own hosts as well. A page of one subdomain can't write to
 * another: the own origin of a request is that of its host. `eu.acme.example.org` is not an own host, like for the wildcard
 * of a certificate: it would be another address of `eu` or of `acme`.
 */
export function ownOriginOf({ baseUrl, host: listening, subdomains = false }: Address): OwnOrigin {
  if (baseUrl !== undefined) return originsOf(new URL(baseUrl), subdomains)
  // Rejects other host names that resolve to this server (DNS rebinding), unless it listens on all addresses.
  const names = new Set(['localhost', '127.0.0.1', '[::1]', listening])
  const everywhere = listening === '0.0.0.0' || listening === '::'
  return {
    isOwnHost: (name) => {
      const host = name.toLowerCase().replace(/:\d+$/, '')
      return everywhere || names.has(host) || (subdomains && isBelow('localhost', host))
    },
    ownOrigin: (req) => `${req.protocol}://${req.headers.host}`,
  }
}

/** Returns whether a host has one label of letters, digits and hyphens in front of another: `acme.example.org`. */
const isBelow = (host: string, name: string): boolean =>
  name.endsWith(`.${host}`) && /^[a-z0-9-]+$/.test(name.slice(0, -host.length - 1))

function originsOf({ host, origin, protocol }: URL, subdomains: boolean): OwnOrigin {
  const isSubdomain = (name: string) => subdomains && isBelow(host, name)
  return {
    isOwnHost: (name) => name.toLowerCase() === host || isSubdomain(name.toLowerCase()),
    ownOrigin({ headers }) {
      const name = (headers.host ?? '').toLowerCase()
      return isSubdomain(name) ? `${protocol}//${name}` : origin
    },
  }
}
