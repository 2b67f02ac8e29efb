import { type Handler, publicRoute, render, routes } from 'pergola'
import { configOf } from '#app/config-of.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'

const show: Handler = (req, res) => {
  // Only development stores mails in a folder, which /_dev/mail shows.
  const isStored = mailSettings(configOf(req)).url?.startsWith('file:') ?? false
  return render(res, 'account/check_mail', { isStored })
}

/** The page after a request for a link, which is the same for every address. */
export const checkMailRoutes = routes('/check-mail', { 'GET /': [publicRoute(), show] })
