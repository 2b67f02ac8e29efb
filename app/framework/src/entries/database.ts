/** Connections, migrations and checks of the databases of an application. Imported as `pergola/database`. */

// Checks and seeds of the tables
export { columnProblems, undeclaredColumns } from '../application/column-problems.ts'
export { orderProblems } from '../application/order-problems.ts'
export { engineProblems } from '../application/engine-problems.ts'
export { type MissingIndex, missingIndexes } from '../application/missing-indexes.ts'
export { seedEmptyTables } from '../application/seed-empty-tables.ts'

// Errors of Postgres
export { constraintName } from '../rows/constraint-name.ts'
export { acceptsWrites } from '../migrations/reachable.ts'
export { SqlState, sqlState } from '../database/sql-states.ts'

// The databases of an application, by its configuration
export {
  conflictingUrls,
  type DatabaseConfig,
  databasesOf,
  databaseUrls,
  shardSettings,
  urlSetting,
} from '../application/database-settings.ts'
export { databaseServer, openDatabase, withPatientDatabase } from '../application/open-database.ts'
export { serveDatabases } from '../application/serve-databases.ts'
export { describeRefusedUrl } from '../application/refused-url.ts'

// Connections, and tables that rules read
export { accessTable, type AccessTable } from '../features/access-table/access-table.ts'
export { connect } from '../database/connect.ts'
export { countExpiredKeys, deleteExpiredKeys } from '../writes/once/idempotency-keys.ts'
export { rowByKey } from '../rows/row-by-key.ts'
export { limitSearches } from '../lists/search-share.ts'

// Databases and migrations
export { joinEmbedded } from '../embedded/development-postgres.ts'
export {
  createIfMissing,
  databaseName,
  ensureDatabase,
  recreateDatabase,
} from '../migrations/ensure-database.ts'
export {
  frameworkMigrations,
  migrate,
  type MigrationState,
  migrationStates,
  pendingMigrations,
  rollback,
} from '../migrations/run-migrations.ts'
export { lockMigrations } from '../migrations/migration-lock.ts'
