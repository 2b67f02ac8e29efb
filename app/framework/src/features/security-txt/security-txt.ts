import type { RequestHandler } from 'express'
import type { Handler } from '../../http/routes/route-types.ts'
import { frameworkRoutes } from '../../http/routes/routes.ts'

/** The fields of security.txt. */
export interface SecurityTxt {
  /** A `mailto:`, `https:` or `tel:` address for reports of vulnerabilities. */
  readonly contact?: string | undefined
  /** When the file becomes invalid, as RFC 3339 text. */
  readonly expires?: string | undefined
  /** The page with the rules for reports. */
  readonly policy?: string | undefined
}

/** Returns middleware with `/.well-known/security.txt` (RFC 9116). Without a contact it has no route. */
export function securityTxt({ contact, expires, policy }: SecurityTxt): RequestHandler {
  if (contact === undefined) return frameworkRoutes({})
  const fields = Object.entries({ Contact: contact, Expires: expires, Policy: policy })
  const text = fields.map(([name, value]) => (value === undefined ? '' : `${name}: ${value}\n`)).join('')
  const send: Handler = function securityTxt(_req, res) {
    res.type('text').send(text)
  }
  return frameworkRoutes({ 'GET /.well-known/security.txt': send })
}
