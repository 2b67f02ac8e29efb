import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from 'pergola'
import type { Config } from './config.ts'

const SECRETS = ['password', 'password_digest', 'secret', 'token', 'cookie', 'authorization'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
)

/** Logs JSON lines to stdout, or readable lines in development. Redacts fields that are named like a secret. */
export function makeLog({ profile, server }: Config, destination?: DestinationStream): Logger {
  const options = {
    level: server.log_level,
    redact: { paths: SECRETS, censor: '[redacted]' },
    serializers: { err: describeError },
  }
  if (destination !== undefined) return pino(options, destination)
  if (profile !== 'development') return pino(options)
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } },
  })
}
