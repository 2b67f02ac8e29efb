import type { Kysely } from 'kysely'
import type { Config } from '#app/config.ts'
import { databaseServer, withPatientDatabase } from '#app/db/open.ts'
import { makeLog } from '#app/log.ts'
import type { Tables } from 'pergola'
import { absenceInWords } from './absent-database.ts'
import { EXIT } from './exit.ts'

/** Opens the configured database for a command and closes it after. */
export function inDatabase<Result>(
  config: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return onServer(config, (url) => openedFor(url, config, work))
}

/** The address of the configured database for a command; the development Postgres runs as long as `work` does. */
export async function onServer<Result>(
  config: Config,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  // Interrupted or not, the process ends in `exit`, where the development Postgres is left.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(EXIT.interrupted))
  const { url, leave } = await databaseServer(config)
  try {
    return await work(url)
  } finally {
    leave()
  }
}

/** Opens the database at this address, and closes it after. What broke meanwhile is said on stderr. */
export async function openedFor<Result>(
  url: string,
  config: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  try {
    return await withPatientDatabase(url, makeLog(config, { write: sayLine }), work)
  } catch (error) {
    throw absenceInWords(error)
  }
}

/** A line of the log as people read it. */
function sayLine(line: string): void {
  const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } }
  console.error([msg, err?.message].filter(Boolean).join(': '))
}
