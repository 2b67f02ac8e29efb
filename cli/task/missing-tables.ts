import { SqlState, sqlState } from 'pergola'

/** For `catch`: a database without our tables is one that was not migrated. */
export function missingTables(error: unknown): unknown {
  if (sqlState(error) !== SqlState.undefinedTable) return error
  return new Error(
    `The database lacks tables, ${(error as Error).message}. Bring it up to date: npx cli db migrate`,
  )
}
