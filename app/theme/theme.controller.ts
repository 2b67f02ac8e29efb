import type { Request } from 'express'
import { type Handler, localPath, publicRoute, routes } from 'pergola'

const THEMES = ['light', 'dark']
const A_YEAR = 365 * 24 * 60 * 60 * 1_000

/** Returns the theme that the browser chose, or null if it follows the system. */
export function themeOf(req: Request): string | null {
  const [, theme] = /(?:^|; )theme=(light|dark)(?:;|$)/.exec(req.headers.cookie ?? '') ?? []
  return theme ?? null
}

const update: Handler = (req, res) => {
  const { theme, return_to } = req.body
  const options = { path: '/', sameSite: 'lax', httpOnly: true, secure: req.secure } as const
  if (THEMES.includes(theme)) res.cookie('theme', theme, { ...options, maxAge: A_YEAR })
  else res.clearCookie('theme', options)
  res.redirect(303, localPath(return_to))
}

/** The choice between the light and the dark theme, which works without JavaScript. */
export const themeRoutes = routes('/theme', { 'POST /': [publicRoute(), update] })
