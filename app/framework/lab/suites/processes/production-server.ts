import { spawnServer } from 'pergola/lab'
import { unreachableMail } from '../unreachable-mail.ts'

/** Loads the test notes into a process of the application. */
export const WITH_TEST_NOTES = `--import ${new URL('../with-test-notes.ts', import.meta.url).href}`

/**
 * Starts the server as `npm start` does in production, on any free port, with this database and the test notes, whose table
 * the test creates.
 */
export const productionServer = (
  databaseUrl: string,
  env: Record<string, string> = {},
  atEnd?: Parameters<typeof spawnServer>[2],
) =>
  spawnServer(
    'app/start.js',
    {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      BASE_URL: 'https://example.org',
      SESSION__SECRET: 'one secret for all of these servers',
      ...unreachableMail,
      SERVER__LOG_LEVEL: 'fatal',
      DATABASE_URL: databaseUrl,
      ...env,
      NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} ${WITH_TEST_NOTES}`,
    },
    atEnd,
  )
