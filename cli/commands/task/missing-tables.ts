import { SqlState, sqlState } from 'pergola/database'

/** Returns an error that recommends to migrate if a table is missing. Returns other errors unchanged. */
export function missingTables(error: unknown): unknown {
  if (sqlState(error) !== SqlState.undefinedTable) return error
  return new Error(`A table is missing: ${(error as Error).message}. Run: npx cli db migrate`)
}
