import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/** JSON lines on stdout; in development, lines to read. Whatever could hold a secret is struck out wherever it appears. */
export function makeLog({ profile, server }: Config): Logger {
  return pino({
    level: server.log_level,
    redact: { paths: SECRETS, censor: '[redacted]' },
    ...(profile === 'development' && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } },
    }),
  })
}

const NAMES = [
  'password',
  'password_digest',
  'secret',
  'token',
  'cookie',
  'authorization',
  '["set-cookie"]',
  'parameters',
]
const at = (prefix: string) =>
  NAMES.map((name) => (name.startsWith('[') ? prefix + name : `${prefix}.${name}`.replace(/^\./, '')))
const SECRETS = [...at(''), ...at('*'), ...at('*.*'), ...at('*.headers')]
