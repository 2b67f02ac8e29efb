import { readConfig } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { printResult } from '../print-result.ts'
import { forMigrations, inDatabase } from '../in-database.ts'

export async function migrateCommand({ json }: { json?: boolean }): Promise<void> {
  const migrated = await inDatabase(forMigrations(readConfig()), migrate)
  printResult(
    json,
    { migrated },
    migrated.length === 0 ? 'Nothing to migrate.' : `Migrated ${migrated.join(', ')}.`,
  )
}
