import type { Request } from 'express'

/** Which requests are for us. */
export interface OwnOrigin {
  isOwnHost: (host: string) => boolean
  ownOrigin: (req: Request) => string
}

interface Address {
  /** The address that browsers use, in production. Without it, this machine's own names and `host` are ours. */
  readonly baseUrl: string | undefined
  /** What the server listens to. */
  readonly host: string
}

export function ownOriginOf({ baseUrl, host: listening }: Address): OwnOrigin {
  if (baseUrl !== undefined) {
    const { host, origin } = new URL(baseUrl)
    return { isOwnHost: (asked) => asked.toLowerCase() === host, ownOrigin: () => origin }
  }
  // A name that leads here from elsewhere (DNS rebinding) is not ours, unless HOST says that we listen to all.
  const names = new Set(['localhost', '127.0.0.1', '[::1]', listening])
  const everywhere = listening === '0.0.0.0' || listening === '::'
  return {
    isOwnHost: (asked) => everywhere || names.has(asked.toLowerCase().replace(/:\d+$/, '')),
    ownOrigin: (req) => `${req.protocol}://${req.headers.host}`,
  }
}
