import { readConfig } from '#app/config.ts'
import { rollback } from '#app/db/migrate.ts'
import { answer } from '../answer.ts'
import { onServer, openedFor } from '../in-database.ts'
import { confirmLoss } from './confirm.ts'

interface RollbackOptions {
  confirm?: string
  json?: boolean
}

export async function rollbackCommand(count: number, { confirm, json }: RollbackOptions): Promise<void> {
  const config = readConfig()
  const names = await onServer(config, async (url) => {
    const does = 'takes back tables and columns, with everything in them, of a database'
    await confirmLoss(url, config, { confirm, does, command: `db rollback ${count}` })
    return openedFor(url, config, (db) => rollback(db, count))
  })
  answer(
    json,
    { rolled_back: names },
    names.length === 0 ? 'Nothing to roll back.' : `Rolled back ${names.join(', ')}.`,
  )
}
