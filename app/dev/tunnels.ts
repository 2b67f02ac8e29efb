import type { Request } from 'express'
import type { ownOriginOf } from 'pergola/app'

type OwnHosts = ReturnType<typeof ownOriginOf>

/**
 * A browser gets these names from GitHub and Microsoft only: DNS rebinding needs a name of the attacker. Without a port,
 * because a rebound name has the port of this server.
 */
const TUNNEL = /^[a-z0-9.-]+\.(?:app\.github\.dev|devtunnels\.ms)$/i

/**
 * Returns the own hosts and origins in development, where the proxy of a codespace or of a tunnel may change the headers of
 * `https://name-3000.app.github.dev` to `Host: localhost:3000`, `Origin: https://localhost:3000` and
 * `X-Forwarded-Host: name-3000.app.github.dev`. Hosts of other tunnels are own ones if `baseUrl` names them.
 */
export function behindTunnel({ isOwnHost, ownOrigin }: OwnHosts, baseUrl = 'http://localhost') {
  const base = new URL(baseUrl)
  const isTunnel = (host: string) => TUNNEL.test(host) || host === base.host
  const forwarded = ({ headers }: Request) =>
    [headers['x-forwarded-host']].flat().filter((host) => host !== undefined && isTunnel(host))
  return {
    isOwnHost: (host: string) => isOwnHost(host) || isTunnel(host),
    ownOrigin(req: Request) {
      const [host] = forwarded(req)
      const scheme = req.headers['x-forwarded-proto'] === 'http' ? 'http' : 'https'
      if (host !== undefined) return `${scheme}://${host}`
      return req.headers.host === base.host ? base.origin : ownOrigin(req)
    },
    ownOrigins: (req: Request) =>
      [req.headers.host, ...forwarded(req)].flatMap((host) => [`http://${host}`, `https://${host}`]),
  }
}
