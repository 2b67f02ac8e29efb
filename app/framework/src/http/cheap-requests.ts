import type { IncomingMessage } from 'node:http'

const PROBES = /^\/(?:livez|readyz)$/
const PATHS = /^\/(?:livez|readyz|assets\/[0-9a-f]{16}\/[^/%]+)$/
const READS = new Set<string | undefined>(['GET', 'HEAD'])

export const isRead = ({ method }: IncomingMessage): boolean => READS.has(method)

export const isProbe = (req: IncomingMessage): boolean => isRead(req) && PROBES.test(pathOf(req))

/** Returns whether a request is for a probe or an asset: it renders no page, and reads no session. */
export const isProbeOrAsset = (req: IncomingMessage): boolean => isRead(req) && PATHS.test(pathOf(req))

/** Returns the path without the slash at its end, because routes ignore that slash. */
export function pathOf(req: IncomingMessage): string {
  const path = pathnameOf(req)
  return path.endsWith('/') ? path.slice(0, -1) : path
}

/** Returns the path without the query. */
export function pathnameOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
