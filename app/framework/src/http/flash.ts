import type { Request } from 'express'
import { hasCookie, sealedCookie } from './sealed-cookie.ts'

/** One sentence for the next page. */
export interface Flash {
  kind: 'notice' | 'alert'
  text: string
}

const open = (req: Request) => sealedCookie<Flash>(req, { name: 'flash', ttl: 120 })

/** Leaves a sentence for the page that comes next, for guests too. */
export async function flash(req: Request, text: string, kind: Flash['kind'] = 'notice'): Promise<void> {
  const cookie = await open(req)
  Object.assign(cookie, { kind, text: text.slice(0, 300).toWellFormed() })
  await cookie.save()
}

/** Takes the sentence; it is shown once. Error pages don't: it belongs to the page that was meant. */
export async function takeFlash(req: Request): Promise<Flash | null> {
  // A HEAD shows nothing to anybody.
  if (req.method !== 'GET' || !hasCookie(req, 'flash')) return null
  const cookie = await open(req)
  const { kind, text } = cookie
  cookie.destroy()
  return text === undefined ? null : { kind: kind ?? 'notice', text }
}
