import { SqlState, sqlState } from 'pergola'

const CORRECT =
  'Correct the user and the password in DATABASE_URL, or for migrations in DATABASE__MIGRATION_URL.'
const REMEDIES = new Map<string | null, string>([
  [SqlState.invalidCatalogName, 'Create it with npx cli db prepare, or correct DATABASE_URL.'],
  [SqlState.invalidAuthorization, CORRECT],
  [SqlState.invalidPassword, CORRECT],
])

/**
 * Returns an error with the remedy if the server refused the user, the password or the database of the URL. Returns
 * other errors unchanged.
 */
export function describeRefusedUrl(error: unknown): unknown {
  const remedy = REMEDIES.get(sqlState(error))
  return remedy === undefined ? error : new Error(`${(error as Error).message}. ${remedy}`)
}
