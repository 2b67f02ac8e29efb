import type { Request } from 'express'
import { hasCookie, sealedCookie } from './sealed-cookie.ts'

/** One sentence for the next page. */
export interface Flash {
  kind: 'notice' | 'alert'
  text: string
}

const open = (req: Request) => sealedCookie<Flash>(req, { name: 'flash', ttl: 120 })

/**
 * Stores a sentence in a sealed cookie for the next page, where views have it as `it.flash`. Works for guests. It
 * expires after two minutes and is cut after 300 characters.
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

/** Returns the sentence and removes it. Error pages don't call this: the sentence is for the next regular page. */
export async function takeFlash(req: Request): Promise<Flash | null> {
  // The response to a HEAD has no body to show it in.
  if (req.method !== 'GET' || !hasCookie(req, 'flash')) return null
  const cookie = await open(req)
  const { kind, text } = cookie
  cookie.destroy()
  return text === undefined ? null : { kind: kind ?? 'notice', text }
}
