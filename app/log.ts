import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from 'pergola'
import type { Config } from './config.ts'

const SECRETS = ['password', 'password_digest', 'secret', 'token', 'cookie', 'authorization'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
)

/** JSON lines on stdout, or lines to read in development. Whatever is named like a secret is struck out. */
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
