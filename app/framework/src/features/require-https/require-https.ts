import type { RequestHandler } from 'express'
import { isRead } from '../../http/cheap-requests.ts'
import { HttpError } from '../../http/errors.ts'

interface HttpsOptions {
  /** The address that browsers use. */
  readonly baseUrl: string | undefined
  /** Whether a trusted proxy sets `X-Forwarded-Proto`. */
  readonly behindProxy: boolean
  /** Redirects to the host of the request if it is an own one, and not to that of `baseUrl`: for subdomains. */
  readonly isOwnHost?: (host: string) => boolean
}

/**
 * Returns middleware that redirects requests over http to `baseUrl` (308), and refuses those with other methods than
 * GET and HEAD (403), whose content was already sent unencrypted. Put it behind `health`, because probes use http.
 *
 * Lets all requests continue if `baseUrl` is not https, without a proxy, and without `X-Forwarded-Proto`.
 */
export function requireHttps({ baseUrl, behindProxy, isOwnHost }: HttpsOptions): RequestHandler {
  const origin = baseUrl?.startsWith('https:') ? new URL(baseUrl).origin : null
  const isOff = origin === null || !behindProxy
  return function requireHttps(req, res, next) {
    if (isOff) return next()
    const isHttp = req.get('X-Forwarded-Proto') !== undefined && req.protocol === 'http'
    // `requestChecks` refuses a target without a slash.
    if (!isHttp || !req.originalUrl.startsWith('/')) return next()
    const host = req.headers.host ?? ''
    const target = isOwnHost?.(host) === true ? `https://${host}` : origin
    if (isRead(req)) return res.redirect(308, target + req.originalUrl)
    throw new HttpError(403, 'https_required', { detail: `Send this request to ${target}.` })
  }
}
