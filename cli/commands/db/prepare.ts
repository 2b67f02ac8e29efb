import { type Config, readConfig } from '#app/config.ts'
import { createIfMissing } from 'pergola/database'
import { forMigrations, onServer, openedFor } from '../../in-database.ts'
import { printEach, type ShardOption } from '../../shards.ts'
import { migrateAndSeed, preparedText } from './migrate-and-seed.ts'

export async function prepareCommand(options: ShardOption & { json?: boolean }): Promise<void> {
  const config = readConfig()
  await printEach(config, options, {
    work: (one) => prepare(forMigrations(one)),
    text: (prepared) => (prepared.created ? 'Created the database.\n' : '') + preparedText(prepared, config),
  })
}

const prepare = (config: Config) =>
  onServer(config, async (url) => {
    const created = await createIfMissing(url)
    return { created, ...(await openedFor(url, config, (db) => migrateAndSeed(db, config))) }
  })
