import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'
import { databaseServer, withPatientDatabase } from 'pergola/database'
import type { Config } from '#app/config.ts'
import { makeLog } from '#app/log.ts'
import { sendMailsOf } from '#app/mails/mail-settings.ts'
import { describeConnectionError } from './connection-error.ts'
import { EXIT } from './exit.ts'

/**
 * Returns the configuration with `migration_url` as the URL of the database: a user who may change tables, connected
 * without a pooler.
 */
export function forMigrations(config: Config): Config {
  const url = config.database.migration_url ?? config.database.url
  return url === undefined ? config : { ...config, database: { ...config.database, url } }
}

/** Opens the configured database for a command, and closes it afterwards. */
export function inDatabase<Result>(
  config: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return onServer(config, (url) => openedFor(url, config, work))
}

/**
 * Calls `work` with the URL of the configured database. Runs the embedded Postgres until `work` ends, if it is
 * configured.
 */
export async function onServer<Result>(
  config: Config,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  // The `exit` handler releases the embedded Postgres, even after an interrupt.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(EXIT.interrupted))
  const { url, leave } = await databaseServer(config)
  try {
    return await work(url)
  } finally {
    leave()
  }
}

/** Opens the database at this URL, and closes it afterwards. Prints connection errors to stderr. */
export async function openedFor<Result>(
  url: string,
  config: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  try {
    return await withPatientDatabase(
      url,
      { log: makeLog(config, { write: printLogLine }), config, onOpen: sendMailsOf },
      work,
    )
  } catch (error) {
    throw describeConnectionError(error, config)
  }
}

/** Prints the message of a JSON log line. */
function printLogLine(line: string): void {
  const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } }
  console.error([msg, err?.message].filter(Boolean).join(': '))
}
