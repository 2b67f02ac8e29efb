import type { Kysely } from 'kysely'
import type { Config } from '#app/config.ts'
import { databaseServer, withPatientDatabase } from '#app/db/open.ts'
import { makeLog } from '#app/log.ts'
import type { Tables } from '#framework'

/** Opens the configured database for a command and closes it after. */
export async function inDatabase<Result>(
  config: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  // Interrupted or not, the process ends in `exit`, where the development Postgres is left.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const { url, leave } = await databaseServer(config)
  try {
    return await withPatientDatabase(url, makeLog(config), work)
  } finally {
    leave()
  }
}
