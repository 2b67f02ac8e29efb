import type { IncomingMessage } from 'node:http'
import { loadNegotiator } from '../../http/server-packages.ts'

/** The content codings of compressed bodies, the preferred one first. */
const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * Returns the coding that the client prefers (`Accept-Encoding`, RFC 9110, 12.5.3), or null for an uncompressed body. Of
 * equally preferred codings, `br` wins. With `onlyIfRequired`, a client that accepts an uncompressed body gets one.
 */
export function codingFor(
  req: Pick<IncomingMessage, 'headers'>,
  { onlyIfRequired = false } = {},
): Coding | null {
  const header = req.headers['accept-encoding']
  // Short bodies for browsers skip the parser: these headers don't refuse uncompressed bodies.
  if (header === undefined || (onlyIfRequired && !/identity|\*/i.test(header))) return null
  const negotiator = new (loadNegotiator())(req)
  const accepted = negotiator.encodings([...CODINGS, 'identity'], { preferred: CODINGS })
  if (onlyIfRequired && accepted.includes('identity')) return null
  return CODINGS.find((coding) => coding === accepted[0]) ?? null
}

const COMPRESSIBLE = /^text\/|^application\/(?:json|javascript|xml)\b|\+(?:json|xml)\b/

/** Returns whether bodies of this content type become smaller. Images, fonts and archives are compressed already. */
export const isCompressible = (contentType: string | undefined): boolean =>
  contentType !== undefined && COMPRESSIBLE.test(contentType)
