import type { Request } from 'express'
import { hasCookie, sealedCookie } from './sealed-cookie.ts'

/** How long a session lives at most, in seconds; its row decides whether it still does. */
export const SESSION_LIFETIME = 30 * 86_400

const open = (req: Request) => sealedCookie<{ token: string }>(req, { name: 'sid', ttl: SESSION_LIFETIME })

/** The random session token of the request; null without a cookie, and for one that we didn't seal. */
export async function sessionToken(req: Request): Promise<string | null> {
  if (!hasCookie(req, 'sid')) return null
  return (await open(req)).token ?? null
}

export async function setSessionToken(req: Request, token: string): Promise<void> {
  const cookie = await open(req)
  cookie.token = token
  await cookie.save()
}

export async function clearSessionToken(req: Request): Promise<void> {
  ;(await open(req)).destroy()
}
