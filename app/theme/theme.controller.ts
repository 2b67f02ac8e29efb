import type { Request } from 'express'
import { z } from 'zod'
import { type Handler, publicRoute, readForm, returnPath, routes } from 'pergola'

/** The themes to choose from. Any other value follows the system. */
const choice = z.object({ theme: z.enum(['light', 'dark']) })
const A_YEAR = 365 * 24 * 60 * 60 * 1_000

/** Returns the theme that the browser chose, or null if it follows the system. */
export function themeOf(req: Request): 'light' | 'dark' | null {
  const [, theme] = /(?:^|; )theme=(light|dark)(?:;|$)/.exec(req.headers.cookie ?? '') ?? []
  return theme === 'light' || theme === 'dark' ? theme : null
}

const update: Handler = (req, res) => {
  const form = readForm(req, choice)
  const options = { path: '/', sameSite: 'lax', httpOnly: true, secure: req.secure } as const
  if (form.valid) res.cookie('theme', form.input.theme, { ...options, maxAge: A_YEAR })
  else res.clearCookie('theme', options)
  res.redirect(303, returnPath(req))
}

/** The choice between the light and the dark theme, which works without JavaScript. */
export const themeRoutes = routes('/theme', { 'POST /': [publicRoute(), update] })
