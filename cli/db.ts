import { type Config, readConfig } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { databaseServer, withPatientDatabase } from '#app/db/open.ts'
import { seed } from '#app/db/seed.ts'
import { makeLog } from '#app/log.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '#framework'

export async function migrateCommand(): Promise<void> {
  const names = await inDatabase(readConfig(), migrate)
  console.log(names.length === 0 ? 'Nothing to migrate.' : `Migrated ${names.join(', ')}.`)
}

export async function seedCommand(): Promise<void> {
  const config = readConfig()
  // The demo accounts have a password that everybody knows.
  if (!config.accounts.demo)
    throw new Error('accounts.demo is false here, and the seed would make the demo accounts.')
  console.log((await inDatabase(config, seed)) ? 'Seeded.' : 'Not seeded: there are users already.')
}

async function inDatabase<Result>(
  config: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  // Interrupted or not, the process ends in `exit`, where the development Postgres is left.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const { url, leave } = await databaseServer(config)
  try {
    return await withPatientDatabase(url, makeLog(config), work)
  } finally {
    leave()
  }
}
