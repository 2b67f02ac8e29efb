import { readConfig } from '#app/config.ts'
import { databaseName, recreateDatabase } from 'pergola/database'
import { printResult } from '../../print-result.ts'
import { Exit, EXIT } from '../../exit.ts'
import { forMigrations, onServer, openedFor } from '../../in-database.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'
import { confirmLoss } from './confirm.ts'
import { migrateAndSeed, preparedText } from './migrate-and-seed.ts'

interface ResetOptions extends ShardOption {
  confirm?: string
  json?: boolean
}

export async function resetCommand({ confirm, json, ...options }: ResetOptions): Promise<void> {
  const config = forMigrations(oneDatabase(readConfig(), options))
  const reset = await onServer(config, async (url) => {
    const effect = 'drops the database and all its data'
    await confirmLoss(url, config, { confirm, effect, command: 'db reset' })
    const prepared = await recreateDatabase(url, () =>
      openedFor(url, config, (db) => migrateAndSeed(db, config)),
    )
    if (prepared === null)
      throw new Exit(EXIT.locked, `Another process is resetting ${databaseName(url)}. No changes were made.`)
    return { database: databaseName(url), ...prepared }
  })
  printResult(json, reset, `Dropped and recreated ${reset.database}.\n${preparedText(reset, config)}`)
}
