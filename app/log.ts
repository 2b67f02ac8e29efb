import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError, redactFields } from 'pergola'
import type { Config } from './config.ts'

const redact = redactFields(['password', 'password_digest', 'secret', 'token', 'cookie', 'authorization'])

/** Lines are collected this long, in milliseconds, and up to so many bytes. A full disk or pipe can't fill the memory. */
const BUFFER = { periodicFlush: 250, minLength: 4_096, maxLength: 8 * 1024 * 1024 }

/**
 * Logs JSON lines to stdout, or readable lines in development. Redacts fields that are named like a secret. Lines are
 * written a quarter of a second later, and at the end of the process.
 */
export function makeLog({ profile, server }: Config, destination?: DestinationStream): Logger {
  const options = {
    level: server.log_level,
    formatters: { log: redact, bindings: redact },
    serializers: { err: describeError },
  }
  if (destination !== undefined) return pino(options, destination)
  if (profile !== 'development') return pino(options, pino.destination({ dest: 1, sync: false, ...BUFFER }))
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } },
  })
}
