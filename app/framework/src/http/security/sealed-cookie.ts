import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import type { IronSession } from 'iron-session'
import { loadIronSession } from '../server-packages.ts'
import { httpSettings } from '../settings.ts'

interface CookieOptions {
  name: string
  /** How long the encrypted value is valid, in seconds. */
  ttl: number
}

/**
 * Returns an encrypted cookie, and whether an older secret than the first encrypted it. After a change, call
 * `await cookie.save()` before the response is sent. The first secret encrypts, all secrets decrypt.
 */
export async function openCookie<Content extends object>(
  req: Request,
  options: CookieOptions,
): Promise<{ cookie: IronSession<Content>; hasOldSeal: boolean }> {
  const [secret = '', ...olderSecrets] = [httpSettings(req.app).secret].flat()
  const cookie = await openWith<Content>(req, secret, options)
  if (!isEmpty(cookie) || !hasCookie(req, options.name)) return { cookie, hasOldSeal: false }
  for (const older of olderSecrets) {
    const content = await openWith<Content>(req, older, options)
    if (!isEmpty(content)) return { cookie: Object.assign(cookie, content), hasOldSeal: true }
  }
  return { cookie, hasOldSeal: false }
}

/** Returns the cookie, which is empty if it was encrypted with another secret. */
function openWith<Content extends object>(req: Request, secret: string, { name, ttl }: CookieOptions) {
  const { https } = httpSettings(req.app)
  return loadIronSession().getIronSession<Content>(req, responseOf(req), {
    cookieName: nameOf(name, https),
    // The name is part of the key, so that the value of one cookie is not valid in another cookie. All secrets have the
    // same id: a cookie doesn't tell which one encrypted it, because its position changes.
    password: { 1: `${name} ${secret}` },
    ttl,
    cookieOptions: { secure: https, httpOnly: true, sameSite: 'lax', path: '/' },
  })
}

/** `__Host-` makes the browser refuse the cookie from a sibling domain, or over plain HTTP. */
const nameOf = (name: string, https: boolean) => (https ? `__Host-${name}` : name)

/**
 * Returns the encrypted text of a cookie. Null without one, and if its name is in the header more than once, because
 * `openCookie` may open another one.
 */
export function sealIn(req: Request, name: string): string | null {
  const { cookie } = req.headers
  if (cookie === undefined) return null
  const start = nameOf(name, httpSettings(req.app).https)
  const at = cookie.indexOf(start)
  const isOne = at >= 0 && at === cookie.lastIndexOf(start)
  // A value may contain spaces, and this text: only after a semicolon does another cookie begin.
  const isBegin = at === 0 || cookie.slice(at - 2, at) === '; '
  if (!isOne || !isBegin || cookie[at + start.length] !== '=') return null
  const end = cookie.indexOf(';', at)
  return cookie.slice(at + start.length + 1, end < 0 ? undefined : end)
}

const isEmpty = (content: object): boolean => Object.keys(content).length === 0

export const hasCookie = (req: IncomingMessage, name: string): boolean =>
  (req.headers.cookie ?? '').includes(`${name}=`)

function responseOf(req: Request) {
  if (req.res === undefined)
    throw new Error('This request has no response for a cookie. Pass the request of an Express handler.')
  return req.res
}
