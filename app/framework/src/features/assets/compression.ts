import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { type Coding, codingFor, isCompressible } from './content-coding.ts'
import { isFromOtherSite } from '../../http/security/cross-origin.ts'

/** Bytes. A smaller body and its headers fit into one or two packets anyway. */
const SMALLEST = 1_024

// About 0.2 ms for a page of 12 kB, which shrinks to a sixth. Higher levels cost more than they save.
const COMPRESS: Record<Coding, (body: Buffer) => Buffer> = {
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => gzipSync(body, { level: 4 }),
}

/**
 * Middleware that compresses pages and JSON of 1 kB and more with brotli or gzip, if the client accepts it. Leave it out
 * if a proxy compresses. Doesn't compress:
 *
 * - a response with a strong `ETag`, which is a promise about the bytes: clients send it back in `If-Match`;
 * - a response with `Cache-Control: no-transform`, or with ranges;
 * - a response that the handler writes in pieces (`res.write`), or as a file;
 * - a response to a request with cookies from a page of another site. That page could otherwise guess parts of a secret
 *   and measure the length of the response (BREACH).
 */
export const compression: RequestHandler = function compression(req, res, next) {
  const end = res.end.bind(res) as (...args: unknown[]) => Response
  res.end = ((...args: unknown[]) => {
    if (res.headersSent || !isNegotiable(res)) return end(...args)
    varyByEncoding(res)
    const coding = couldLeak(req) ? null : codingFor(req, { onlyIfRequired: sizeOf(res, args) < SMALLEST })
    if (coding === null || sizeOf(res, args) === 0) return end(...args)
    const body = bodyOf(args)
    res.set('Content-Encoding', coding).removeHeader('Content-Length')
    if (body === null) return end(...args)
    const compressed = COMPRESS[coding](body)
    res.set('Content-Length', String(compressed.length))
    return end(compressed, ...args.filter((arg) => typeof arg === 'function'))
  }) as typeof res.end
  next()
}

/** Adds `Accept-Encoding` to `Vary`, without the parser of Express. */
function varyByEncoding(res: Response): void {
  const vary = res.getHeader('Vary')
  if (vary === undefined) res.setHeader('Vary', 'Accept-Encoding')
  else if (!/\*|accept-encoding/i.test(String(vary)))
    res.setHeader('Vary', `${String(vary)}, Accept-Encoding`)
}

/** Headers of a response whose bytes must not change. */
const FINAL = ['Content-Encoding', 'Accept-Ranges', 'Content-Range']

/** Returns whether the body depends on `Accept-Encoding`. A 304 has the `Vary` of its 200, but no content type. */
function isNegotiable(res: Response): boolean {
  if (res.statusCode !== 304 && !isCompressible(res.get('Content-Type'))) return false
  if (FINAL.some((name) => res.hasHeader(name))) return false
  if (res.get('ETag')?.startsWith('"')) return false
  return !/\bno-transform\b/i.test(res.get('Cache-Control') ?? '')
}

/** Returns the size of a body in bytes. The response to HEAD has the headers of GET without a body. */
function sizeOf(res: Response, [chunk, encoding]: unknown[]): number {
  const length = res.getHeader('Content-Length')
  if (length !== undefined) return Number(length)
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, encoding as BufferEncoding | undefined)
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}

/** Returns the body that is passed to `res.end`; null without one. */
function bodyOf([chunk, encoding]: unknown[]): Buffer | null {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding as BufferEncoding | undefined)
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : null
}

const couldLeak = (req: Request) => req.headers.cookie !== undefined && isFromOtherSite(req)
