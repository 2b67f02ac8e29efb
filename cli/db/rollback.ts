import { readConfig } from '#app/config.ts'
import { rollback } from '#app/db/migrate.ts'
import { answer } from '../answer.ts'
import { inDatabase } from '../in-database.ts'

export async function rollbackCommand(count: number, { json }: { json?: boolean }): Promise<void> {
  const names = await inDatabase(readConfig(), (db) => rollback(db, count))
  answer(
    json,
    { rolled_back: names },
    names.length === 0 ? 'Nothing to roll back.' : `Rolled back ${names.join(', ')}.`,
  )
}
