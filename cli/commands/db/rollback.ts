import { readConfig } from '#app/config.ts'
import { rollback } from '#app/db/migrate.ts'
import { printResult } from '../../print-result.ts'
import { forMigrations, onServer, openedFor } from '../../in-database.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'
import { confirmLoss } from './confirm.ts'

interface RollbackOptions extends ShardOption {
  confirm?: string
  json?: boolean
}

export async function rollbackCommand(
  count: number,
  { confirm, json, ...options }: RollbackOptions,
): Promise<void> {
  const config = forMigrations(oneDatabase(readConfig(), options))
  const names = await onServer(config, async (url) => {
    const effect = 'may drop tables and columns with all their data'
    await confirmLoss(url, config, { confirm, effect, command: `db rollback ${count}` })
    return openedFor(url, config, (db) => rollback(db, count))
  })
  printResult(
    json,
    { rolled_back: names },
    names.length === 0 ? 'Nothing to roll back.' : `Rolled back ${names.join(', ')}.`,
  )
}
