import type { Request } from 'express'
import type { IronSession } from 'iron-session'
import { loadIronSession } from './server-packages.ts'
import { httpSettings } from './settings.ts'

interface CookieOptions {
  name: string
  /** How long the encrypted value is valid, in seconds. */
  ttl: number
}

/** Returns an encrypted cookie. After a change, call `await cookie.save()` before the response is sent. */
export function sealedCookie<Content extends object>(
  req: Request,
  { name, ttl }: CookieOptions,
): Promise<IronSession<Content>> {
  const { https, secret } = httpSettings(req.app)
  return loadIronSession().getIronSession<Content>(req, responseOf(req), {
    // `__Host-` makes the browser refuse the cookie from a sibling domain, or over plain HTTP.
    cookieName: https ? `__Host-${name}` : name,
    // The name is part of the key, so that the value of one cookie is not valid in another cookie.
    password: { 1: `${name} ${secret}` },
    ttl,
    cookieOptions: { secure: https, httpOnly: true, sameSite: 'lax', path: '/' },
  })
}

export const hasCookie = (req: Request, name: string): boolean =>
  (req.headers.cookie ?? '').includes(`${name}=`)

function responseOf(req: Request) {
  if (req.res === undefined)
    throw new Error('This request has no response for a cookie. Pass the request of an Express handler.')
  return req.res
}
