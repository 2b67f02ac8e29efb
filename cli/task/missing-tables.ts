/** For `catch`: a database without our tables is one that was not migrated. */
export function missingTables(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === '42P01')) return error
  return new Error(`The database lacks tables, ${error.message}. Bring it up to date: npx cli db migrate`)
}
