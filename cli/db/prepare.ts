import { readConfig } from '#app/config.ts'
import { createIfMissing } from 'pergola'
import { answer } from '../answer.ts'
import { onServer, openedFor } from '../in-database.ts'
import { fill, filledInWords } from './fill.ts'

export async function prepareCommand({ json }: { json?: boolean }): Promise<void> {
  const config = readConfig()
  const prepared = await onServer(config, async (url) => {
    const created = await createIfMissing(url)
    return { created, ...(await openedFor(url, config, (db) => fill(db, config))) }
  })
  answer(
    json,
    prepared,
    (prepared.created ? 'Created the database.\n' : '') + filledInWords(prepared, config),
  )
}
