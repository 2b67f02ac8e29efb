import type { Request } from 'express'
import { hasCookie, openCookie } from '../security/sealed-cookie.ts'

/** A message for the next page. */
export interface Flash {
  kind: 'notice' | 'alert'
  text: string
}

const open = async (req: Request) => (await openCookie<Flash>(req, { name: 'flash', ttl: 120 })).cookie

/**
 * Stores a message for the next page in an encrypted cookie. Views read it as `it.flash`. The message expires after
 * two minutes and is truncated after 300 characters. Works for guests too.
 *
 * ```ts
 * await flash(req, 'Post created.')
 * res.redirect(303, `/posts/${post.id}`)
 * ```
 */
export async function flash(req: Request, text: string, kind: Flash['kind'] = 'notice'): Promise<void> {
  const cookie = await open(req)
  Object.assign(cookie, { kind, text: text.slice(0, 300).toWellFormed() })
  await cookie.save()
}

/** Returns the message and removes it. Error pages don't call this: the message is for the next regular page. */
export async function takeFlash(req: Request): Promise<Flash | null> {
  // The response to a HEAD request has no body, so that it can't show the message.
  if (req.method !== 'GET' || !hasCookie(req, 'flash')) return null
  const cookie = await open(req)
  const { kind, text } = cookie
  cookie.destroy()
  return text === undefined ? null : { kind: kind ?? 'notice', text }
}
