import type { Request } from 'express'
import { hasCookie, hasOldSeal, sealedCookie } from './sealed-cookie.ts'

/** The lifetime of a session cookie: 30 days, in seconds. The application may end the session earlier. */
export const SESSION_LIFETIME = 30 * 86_400

const open = (req: Request) => sealedCookie<{ token: string }>(req, { name: 'sid', ttl: SESSION_LIFETIME })

/**
 * Returns the session token in the request's cookie. Returns null without a cookie, and if it was encrypted with
 * another secret. A cookie that an older secret encrypted is encrypted with the first one again.
 */
export async function sessionToken(req: Request): Promise<string | null> {
  if (!hasCookie(req, 'sid')) return null
  const cookie = await open(req)
  if (hasOldSeal(cookie)) await sealAgain(req, cookie)
  return cookie.token ?? null
}

const sealedAgain = new WeakSet<Request>()

/** Sends the cookie once, although a request may read its token several times. */
async function sealAgain(req: Request, cookie: { save: () => Promise<void> }): Promise<void> {
  if (sealedAgain.has(req) || req.res?.headersSent) return
  sealedAgain.add(req)
  await cookie.save()
}

/** Stores the token in the session cookie, encrypted: `HttpOnly`, `SameSite=Lax`, and `Secure` under HTTPS. */
export async function setSessionToken(req: Request, token: string): Promise<void> {
  const cookie = await open(req)
  cookie.token = token
  await cookie.save()
}

/** Removes the session cookie. The application deletes the session's row. */
export async function clearSessionToken(req: Request): Promise<void> {
  ;(await open(req)).destroy()
}
