import { spawnServer } from 'pergola/testing'
import { unreachableMail } from './unreachable-mail.ts'

/** Starts the server as `npm start` does in production, with this database and on any free port. */
export const productionServer = (databaseUrl: string, env: Record<string, string> = {}) =>
  spawnServer('app/start.js', {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    BASE_URL: 'https://example.org',
    SESSION__SECRET: 'one secret for all of these servers',
    ...unreachableMail,
    SERVER__LOG_LEVEL: 'fatal',
    DATABASE_URL: databaseUrl,
    ...env,
  })
