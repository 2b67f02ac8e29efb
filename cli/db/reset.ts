import { readConfig } from '#app/config.ts'
import { databaseName, recreateDatabase } from 'pergola'
import { answer } from '../answer.ts'
import { Exit, EXIT } from '../exit.ts'
import { onServer, openedFor } from '../in-database.ts'
import { confirmLoss } from './confirm.ts'
import { fill, filledInWords } from './fill.ts'

interface ResetOptions {
  confirm?: string
  json?: boolean
}

export async function resetCommand({ confirm, json }: ResetOptions): Promise<void> {
  const config = readConfig()
  const reset = await onServer(config, async (url) => {
    const does = 'drops a database and everything in it'
    await confirmLoss(url, config, { confirm, does, command: 'db reset' })
    const filled = await recreateDatabase(url, () => openedFor(url, config, (db) => fill(db, config)))
    if (filled === null)
      throw new Exit(EXIT.locked, `Somebody else resets ${databaseName(url)} just now. Nothing is changed.`)
    return { database: databaseName(url), ...filled }
  })
  answer(json, reset, `Dropped ${reset.database} and made it anew.\n${filledInWords(reset, config)}`)
}
