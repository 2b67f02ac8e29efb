import { mailServerProblem } from 'pergola/mail'
import type { Config } from '#app/config.ts'
import { mailProblem, mailSettings } from '#app/mails/mail-settings.ts'
import { type Finding, ok, wrong } from './finding.ts'

const TODO = 'Correct MAIL__URL and MAIL__FROM, or [mail] in app/config.toml.'

/** Checks that the mails of the application can be delivered: connects to the mail server, and signs in. */
export async function checkMail(config: Config): Promise<Finding> {
  const missing = mailProblem(config)
  if (missing !== null) return wrong('mail', missing, TODO)
  const settings = mailSettings(config)
  if (settings.url === null) return ok('mail', 'The application sends no mails.')
  const { protocol, host, pathname } = new URL(settings.url)
  if (protocol === 'memory:') return ok('mail', 'Mails are not sent, but stored in memory.')
  if (protocol === 'file:') return ok('mail', `Mails are not sent, but stored in ${pathname}.`)
  const problem = await mailServerProblem(settings)
  if (problem !== null) return wrong('mail', problem, TODO)
  return ok('mail', `The mail server ${host} accepts connections.`)
}
