import { SqlState, sqlState } from 'pergola'

/** For `catch`: replaces the error about a missing table by the advice to migrate. */
export function missingTables(error: unknown): unknown {
  if (sqlState(error) !== SqlState.undefinedTable) return error
  return new Error(`A table is missing: ${(error as Error).message}. Run: npx cli db migrate`)
}
