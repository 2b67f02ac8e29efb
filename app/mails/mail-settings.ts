import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MailSettings } from 'pergola/mail'
import type { Config } from '#app/config.ts'
import { secretsOf } from '#app/sessions/session-secret.ts'
import { mailsOf } from './mails.ts'

const known = new WeakMap<Config['mail'], MailSettings>()

/** Returns the settings of mails: the same object for the databases of all shards, which share their connections. */
export function mailSettings(config: Config): MailSettings {
  const { app, mail, server, profile } = config
  const settings = known.get(mail) ?? {
    mails: mailsOf(config),
    url: mail.url ?? ownUrl(config),
    from: mail.from ?? `${app.name.replaceAll(/[<>"]/g, '')} <no-reply@localhost>`,
    timeout: mail.timeout_ms,
    secrets: () => secretsOf(config),
    appName: app.name,
    views: join(import.meta.dirname, '../../views'),
    development: profile === 'development',
    inboxUrl: `${server.base_url ?? ''}/_dev/mail`,
  }
  known.set(mail, settings)
  return settings
}

/** Returns where mails go without a server: into a folder in development, into memory in tests. */
function ownUrl({ profile, database }: Config): string | null {
  if (profile === 'production') return null
  return profile === 'test' ? 'memory:' : pathToFileURL(join(database.data_dir, 'mail')).href
}

/** Returns an error message if these settings send mails in production, but can't deliver them. */
export function mailProblem(config: Config, mails = mailsOf(config)): string | null {
  const { profile, mail } = config
  if (profile !== 'production' || mails.length === 0) return null
  const why = `The application sends mails: ${mails.map(({ name }) => name).join(', ')}.`
  if (mail.url === undefined)
    return `Production: MAIL__URL is missing. Expected: smtp://user:password@host:587. ${why}`
  if (!/^smtps?:/.test(mail.url))
    return `Production: MAIL__URL is not the address of a mail server. Expected: smtp:// or smtps://. ${why}`
  if (mail.from === undefined)
    return `Production: MAIL__FROM is missing. Expected: a sender, like Pergola <no-reply@example.org>. ${why}`
  return null
}

/** Throws if production can't deliver its mails. */
export function refuseUndelivered(config: Config): void {
  const problem = mailProblem(config)
  if (problem !== null) throw new Error(problem)
}
