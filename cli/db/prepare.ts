import { readConfig } from '#app/config.ts'
import { createIfMissing } from 'pergola'
import { printResult } from '../print-result.ts'
import { forMigrations, onServer, openedFor } from '../in-database.ts'
import { migrateAndSeed, preparedText } from './migrate-and-seed.ts'

export async function prepareCommand({ json }: { json?: boolean }): Promise<void> {
  const config = forMigrations(readConfig())
  const prepared = await onServer(config, async (url) => {
    const created = await createIfMissing(url)
    return { created, ...(await openedFor(url, config, (db) => migrateAndSeed(db, config))) }
  })
  printResult(
    json,
    prepared,
    (prepared.created ? 'Created the database.\n' : '') + preparedText(prepared, config),
  )
}
