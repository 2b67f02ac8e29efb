import { withDatabase } from 'pergola'
import { SqlState, sqlState } from 'pergola/database'
import { type Config, readConfig } from '#app/config.ts'
import { inDatabase } from '../../in-database.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'

/** Calls `work` in the configured database. Recommends to migrate if a table is missing. */
export async function inTables<Result>(
  option: ShardOption,
  work: (config: Config) => Promise<Result>,
): Promise<Result> {
  const config = oneDatabase(readConfig(), option)
  try {
    return await inDatabase(config, (db) => withDatabase(db, () => work(config)))
  } catch (error) {
    throw missingTables(error)
  }
}

/** Returns an error that recommends to migrate if a table is missing. Returns other errors unchanged. */
export function missingTables(error: unknown): unknown {
  if (sqlState(error) !== SqlState.undefinedTable) return error
  return new Error(`A table is missing: ${(error as Error).message}. Run: npx cli db migrate`)
}
