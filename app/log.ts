import { channel } from 'node:diagnostics_channel'
import { type DestinationStream, type Logger, type LoggerOptions, multistream, pino, transport } from 'pino'
import { describeError, LogDestination, redactChildren, redactFields } from 'pergola/app'
import type { Config } from './config.ts'

const SECRETS = ['password', 'password_digest', 'secret', 'token', 'cookie', 'authorization']
/** Parts of mails: recipients, links that sign a user in, and encrypted data. */
const PARTS_OF_MAILS = ['email', 'to', 'subject', 'link', 'sealed']
const redact = redactFields([...SECRETS, ...PARTS_OF_MAILS])

const WARNING = 40

/**
 * Logs JSON lines to stdout, or readable lines in development. Redacts fields that are named like a secret or a part
 * of a mail. Warnings and errors are written at once, other lines a quarter of a second later. On a full disk, lines wait,
 * and are dropped and counted when too many do.
 */
export function makeLog({ profile, server }: Config, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level: server.log_level,
    formatters: { log: redact },
    serializers: { err: describeError },
  }
  if (destination !== undefined) return redactChildren(pino(options, destination), redact)
  if (profile === 'development') {
    const pretty = transport({
      target: 'pino-pretty',
      options: { ignore: 'pid,hostname', singleLine: true },
    }) as DestinationStream
    // For /_dev/requests.
    const lines = channel('pergola:log')
    const published = { write: (line: string) => lines.publish(line) }
    const streams = [pretty, published].map((stream) => ({ stream, level: 'trace' as const }))
    return redactChildren(pino(options, multistream(streams)), redact)
  }
  const stdout = new LogDestination({
    onDropped: (dropped) => log.warn({ dropped }, 'lines of the log were dropped'),
  })
  const hooks: LoggerOptions['hooks'] = {
    logMethod(line, method, level) {
      method.apply(this, line)
      if (level >= WARNING) stdout.flush()
    },
  }
  const log = redactChildren(pino({ ...options, hooks }, stdout), redact)
  return log
}
