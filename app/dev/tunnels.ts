import type { Request } from 'express'
import type { ownOriginOf } from 'pergola/app'

type OwnHosts = ReturnType<typeof ownOriginOf>

/** A browser gets these names from GitHub and Microsoft only: DNS rebinding needs a name of the attacker. */
const TUNNEL = /^[a-z0-9.-]+\.(?:app\.github\.dev|devtunnels\.ms)$/i

/**
 * Returns the own hosts and origins in development, where the proxy of a codespace or of a tunnel may change the headers of
 * `https://name-3000.app.github.dev` to `Host: localhost:3000`, `Origin: https://localhost:3000` and
 * `X-Forwarded-Host: name-3000.app.github.dev`. Hosts of other tunnels are own ones if `baseUrl` names them.
 */
export function behindTunnel({ isOwnHost, ownOrigin }: OwnHosts, baseUrl = 'http://localhost') {
  const isOwn = (host: string) => isOwnHost(host) || TUNNEL.test(host) || host === new URL(baseUrl).host
  const forwarded = ({ headers }: Request) => [String(headers['x-forwarded-host'])].filter(isOwn)
  return {
    isOwnHost: isOwn,
    ownOrigin(req: Request) {
      const [host] = forwarded(req)
      const scheme = req.headers['x-forwarded-proto'] === 'http' ? 'http' : 'https'
      return host === undefined ? ownOrigin(req) : `${scheme}://${host}`
    },
    ownOrigins: (req: Request) =>
      [req.headers.host, ...forwarded(req)].flatMap((host) => [`http://${host}`, `https://${host}`]),
  }
}
