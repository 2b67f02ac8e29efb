import { SqlState, sqlState } from '../database/sql-states.ts'
import { type DatabaseConfig, urlSetting } from './database-settings.ts'

/**
 * Returns an error with the remedy if the server refused the user, the password or the database of the configured URL.
 * Returns other errors unchanged.
 */
export function describeRefusedUrl(error: unknown, config: DatabaseConfig): unknown {
  const remedy = remedyFor(sqlState(error), config)
  return remedy === null ? error : new Error(`${(error as Error).message}. ${remedy}`)
}

function remedyFor(state: string | null, config: DatabaseConfig): string | null {
  const setting = urlSetting(config)
  if (state === SqlState.invalidCatalogName)
    return `Create it with npx cli db prepare, or correct ${setting}.`
  if (state !== SqlState.invalidAuthorization && state !== SqlState.invalidPassword) return null
  const other = config.shard === undefined ? 'DATABASE__MIGRATION_URL' : 'its migration_url'
  return `Correct the user and the password in ${setting}, or for migrations in ${other}.`
}
