import { readConfig } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { seed } from '#app/db/seed.ts'
import { inDatabase } from './in-database.ts'

export async function migrateCommand(): Promise<void> {
  const names = await inDatabase(readConfig(), migrate)
  console.log(names.length === 0 ? 'Nothing to migrate.' : `Migrated ${names.join(', ')}.`)
}

export async function seedCommand(): Promise<void> {
  const config = readConfig()
  // The demo accounts have a password that everybody knows.
  if (!config.accounts.demo)
    throw new Error('accounts.demo is false here, and the seed would make the demo accounts.')
  const tables = await inDatabase(config, seed)
  console.log(tables.length === 0 ? 'Nothing to seed: no table is empty.' : `Seeded ${tables.join(', ')}.`)
}
