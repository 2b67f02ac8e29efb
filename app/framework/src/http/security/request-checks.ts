import type { RequestHandler } from 'express'
import { HttpError } from '../errors.ts'
import { markLayer } from '../routes/layers.ts'

const MAX_HEADERS = 100
/** A path without a fragment, whitespace or backslashes: the router would drop them, and find another route than a proxy. */
const TARGET = /^\/[^?#\s\\]*(?:\?|$)/

/**
 * Returns middleware that refuses requests that browsers don't send and proxies shouldn't forward: not exactly one
 * `Host` header (400), a host of another site (421), an absolute or ambiguous request target (400), a transfer encoding
 * other than chunked (501), and more than 100 headers (431).
 */
export function requestChecks(ownHost: (host: string) => boolean): RequestHandler {
  const check: RequestHandler = function requestChecks(req, _res, next) {
    if (req.rawHeaders.length > 2 * MAX_HEADERS) throw refused(431, 'too_many_headers')
    if (countOfHosts(req.rawHeaders) !== 1) throw refused(400, 'bad_host')
    if (!ownHost(req.headers.host ?? '')) throw misdirected()
    if (!TARGET.test(req.originalUrl)) throw refused(400, 'bad_target')
    const encoding = req.headers['transfer-encoding']
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
      throw refused(501, 'bad_transfer_encoding')
    next()
  }
  return markLayer(check, { is: 'request checks' })
}

/** Counts the `Host` headers. Names and values alternate. */
const countOfHosts = (headers: readonly string[]): number =>
  headers.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length

/** The error of a request to a host, or to a shard, that this application doesn't have. */
export const misdirected = () => refused(421, 'misdirected_request')

const refused = (status: number, code: string) =>
  new HttpError(status, code, { headers: { Connection: 'close' } })
