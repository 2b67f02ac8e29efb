import { readConfig } from '#app/config.ts'
import { databaseName, recreateDatabase } from '#app/db/ensure-database.ts'
import { answer } from '../answer.ts'
import { ask } from '../ask.ts'
import { Exit, EXIT } from '../exit.ts'
import { onServer, openedFor } from '../in-database.ts'
import { fill, filledInWords } from './fill.ts'

interface ResetOptions {
  confirm?: string
  json?: boolean
}

export async function resetCommand({ confirm, json }: ResetOptions): Promise<void> {
  const config = readConfig()
  const reset = await onServer(config, async (url) => {
    const database = databaseName(url)
    await confirmed(database, { confirm, isOurs: config.profile !== 'production' && isLocal(url) })
    await recreateDatabase(url)
    return { database, ...(await openedFor(url, config, (db) => fill(db, config))) }
  })
  answer(json, reset, `Dropped ${reset.database} and made it anew.\n${filledInWords(reset)}`)
}

interface Confirmation {
  confirm: string | undefined
  isOurs: boolean
}

/** A development database of this machine is nobody else's. Of another the name is asked, so that it is no slip. */
async function confirmed(name: string, { confirm, isOurs }: Confirmation): Promise<void> {
  if (isOurs && confirm === undefined) return
  const question = `This drops the database ${name} and everything in it. Type its name to go on: `
  const given = confirm ?? (await ask(question, `Say which: npx cli db reset --confirm ${name}`))
  if (given !== name)
    throw new Exit(EXIT.usage, `The database is ${name}, not "${given}". Nothing is changed.`)
}

function isLocal(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return /^(?:|localhost|127(?:\.\d+){3}|\[?::1\]?|\/.*)$/.test(decodeURIComponent(host))
}
