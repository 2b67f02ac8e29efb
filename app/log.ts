import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { describeError, redactChildren, redactFields } from 'pergola'
import type { Config } from './config.ts'

const SECRETS = ['password', 'password_digest', 'secret', 'token', 'cookie', 'authorization']
/** Parts of mails: recipients, links that sign a user in, and encrypted data. */
const PARTS_OF_MAILS = ['email', 'to', 'subject', 'link', 'sealed']
const redact = redactFields([...SECRETS, ...PARTS_OF_MAILS])

/** Lines are collected up to so many bytes, and this long, in milliseconds. A stuck reader can't fill the memory. */
const BUFFER = { minLength: 16_000, periodicFlush: 250, maxLength: 8 * 1024 * 1024 }
const WARNING = 40

/**
 * Logs JSON lines to stdout, or readable lines in development. Redacts fields that are named like a secret or a part
 * of a mail. Warnings and errors are written at once, other lines a quarter of a second later.
 */
export function makeLog({ profile, server }: Config, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level: server.log_level,
    formatters: { log: redact },
    serializers: { err: describeError },
  }
  if (destination !== undefined) return redactChildren(pino(options, destination), redact)
  if (profile === 'development') {
    const transport = { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } }
    return redactChildren(pino({ ...options, transport }), redact)
  }
  const stdout = pino.destination({ dest: 1, sync: false, ...BUFFER })
  const hooks: LoggerOptions['hooks'] = {
    logMethod(line, method, level) {
      method.apply(this, line)
      if (level >= WARNING) stdout.flush()
    },
  }
  return redactChildren(pino({ ...options, hooks }, stdout), redact)
}
