import { type Handler, publicRoute, render, routes } from 'pergola'
import type { Config } from '#app/config.ts'

/** The page after a request for a link, which is the same for every address. */
export function checkMailRoutes({ profile }: Config) {
  const show: Handler = (_req, res) =>
    render(res, 'account/check_mail', { isDevelopment: profile === 'development' })
  return routes('/check-mail', { 'GET /': [publicRoute(), show] })
}
