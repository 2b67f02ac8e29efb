import { SqlState, sqlState } from '../database/sql-states.ts'
import { type DatabaseConfig, urlSetting } from './database-settings.ts'

/**
 * Returns an error with the remedy if the server refused the user, the password or the database of the configured URL.
 * Returns other errors unchanged.
 */
export function describeRefusedUrl(error: unknown, config: DatabaseConfig): unknown {
  const remedy = REMEDIES.get(sqlState(error))
  return remedy === undefined ? error : new Error(`${(error as Error).message}. ${remedy(config)}`)
}

const correctUser = (config: DatabaseConfig) =>
  `Correct the user and the password in ${urlSetting(config)}, or for migrations in ${
    config.shard === undefined ? 'DATABASE__MIGRATION_URL' : 'its migration_url'
  }.`

const REMEDIES = new Map<string | null, (config: DatabaseConfig) => string>([
  [
    SqlState.invalidCatalogName,
    (config) => `Create it with npx cli db prepare, or correct ${urlSetting(config)}.`,
  ],
  [SqlState.invalidAuthorization, correctUser],
  [SqlState.invalidPassword, correctUser],
])
