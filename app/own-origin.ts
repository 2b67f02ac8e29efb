import type { Request } from 'express'
import type { Config } from './config.ts'

/** Which requests are for us: BASE_URL in production, this machine's own names and HOST elsewhere. */
export interface OwnOrigin {
  isOwnHost: (host: string) => boolean
  ownOrigin: (req: Request) => string
}

export function ownOriginOf({ server, profile }: Config): OwnOrigin {
  if (profile === 'production' && server.base_url !== undefined) {
    const { host, origin } = new URL(server.base_url)
    return { isOwnHost: (asked) => asked.toLowerCase() === host, ownOrigin: () => origin }
  }
  // A name that leads here from elsewhere (DNS rebinding) is not ours, unless HOST says that we listen to all.
  const names = new Set(['localhost', '127.0.0.1', '[::1]', server.host])
  const everywhere = server.host === '0.0.0.0' || server.host === '::'
  return {
    isOwnHost: (asked) => everywhere || names.has(asked.toLowerCase().replace(/:\d+$/, '')),
    ownOrigin: (req) => `${req.protocol}://${req.headers.host}`,
  }
}
