import type { Request } from 'express'
import { hasCookie, openCookie, sealIn } from './sealed-cookie.ts'
import { httpSettings, type HttpSettings } from '../settings.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** Whether the session cookie was sent again. A request may read its token several times. */
    isSealedAgain?: boolean
  }
}

const THIRTY_DAYS = 30 * 86_400

function open(req: Request) {
  const { sessionCookie: name, sessionLifetime: ttl = THIRTY_DAYS } = httpSettings(req.app)
  return openCookie<{ token: string }>(req, { name, ttl })
}

/**
 * Returns the session token in the request's cookie. Returns null without a cookie, and if it was encrypted with
 * another secret. A cookie that an older secret encrypted is encrypted with the first one again.
 *
 * The token says nothing about the session: the application reads its row for each request.
 */
export async function sessionToken(req: Request): Promise<string | null> {
  return openedToken(req) ?? openToken(req)
}

/** Returns the token of a cookie that was decrypted before. Null for any other request. */
export function openedToken(req: Request): string | null {
  const seal = sealIn(req, httpSettings(req.app).sessionCookie)
  return seal === null ? null : openedBy(req).find(seal, Date.now())
}

async function openToken(req: Request): Promise<string | null> {
  const { sessionCookie: name } = httpSettings(req.app)
  if (!hasCookie(req, name)) return null
  const { cookie, hasOldSeal } = await open(req)
  const token = cookie.token ?? null
  const seal = sealIn(req, name)
  if (!hasOldSeal && seal !== null && token !== null) openedBy(req).add(seal, token)
  if (hasOldSeal) await sealAgain(req, cookie)
  return token
}

async function sealAgain(req: Request, cookie: { save: () => Promise<void> }): Promise<void> {
  if (req.isSealedAgain || req.res?.headersSent) return
  req.isSealedAgain = true
  await cookie.save()
}

/** The tokens of cookies that were decrypted before. */
interface KnownSeals {
  find(seal: string, now: number): string | null
  add(seal: string, token: string): void
}

/** The known seals of an application, whose settings contain the secrets. `speed/` keeps some. */
export const seals: { of: (settings: HttpSettings) => KnownSeals } = {
  of: () => ({ find: () => null, add() {} }),
}

const openedBy = ({ app }: Request): KnownSeals => seals.of(httpSettings(app))

/** Stores the token in the session cookie, encrypted: `HttpOnly`, `SameSite=Lax`, and `Secure` under HTTPS. */
export async function setSessionToken(req: Request, token: string): Promise<void> {
  const { cookie } = await open(req)
  cookie.token = token
  await cookie.save()
}

/** Removes the session cookie. The application deletes the session's row. */
export async function clearSessionToken(req: Request): Promise<void> {
  ;(await open(req)).cookie.destroy()
}
