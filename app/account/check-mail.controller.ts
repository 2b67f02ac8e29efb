import { type Handler, publicRoute, render, routes } from 'pergola'
import type { Config } from '#app/config.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'

/** The page after a request for a link, which is the same for every address. */
export function checkMailRoutes(config: Config) {
  // Only development stores mails in a folder, which /_dev/mail shows.
  const isStored = mailSettings(config).url?.startsWith('file:') ?? false
  const show: Handler = (_req, res) => render(res, 'account/check_mail', { isStored })
  return routes('/check-mail', { 'GET /': [publicRoute(), show] })
}
