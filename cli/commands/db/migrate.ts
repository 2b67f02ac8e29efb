import { readConfig } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { SqlState, sqlState } from 'pergola/database'
import { forMigrations, inDatabase } from '../../in-database.ts'
import { printEach, type ShardOption } from '../../shards.ts'

export async function migrateCommand(options: ShardOption & { json?: boolean }): Promise<void> {
  await printEach(readConfig(), options, {
    async work(config) {
      const migrated = await inDatabase(forMigrations(config), migrate).catch((error: unknown) => {
        throw lacksRights(error) ? new Error(OTHER_ROLE, { cause: error }) : error
      })
      return { migrated }
    },
    text: ({ migrated }) =>
      migrated.length === 0 ? 'Nothing to migrate.' : `Migrated ${migrated.join(', ')}.`,
  })
}

const lacksRights = (error: unknown): boolean =>
  error instanceof Error && (sqlState(error) === SqlState.insufficientPrivilege || lacksRights(error.cause))

const OTHER_ROLE =
  'This role may not change the schema. Set DATABASE__MIGRATION_URL to the URL of the role that owns the tables'
