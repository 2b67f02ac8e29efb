import type { Config } from '#app/config.ts'
import { databaseName } from 'pergola/database'
import { ask } from '../../ask.ts'
import { Exit, EXIT } from '../../exit.ts'

interface Danger {
  /** The value of `--confirm`. */
  confirm: string | undefined
  /** The end of the sentence “This …”: `drops the database and all its data`. */
  effect: string
  /** The command without `--confirm`: `db reset`. */
  command: string
}

/**
 * Asks for the name of the database before data is lost, to prevent accidents. Doesn't ask for a local development
 * database.
 */
export async function confirmLoss(
  url: string,
  { profile }: Config,
  { confirm, effect, command }: Danger,
): Promise<void> {
  if (profile !== 'production' && isLocal(url) && confirm === undefined) return
  const name = databaseName(url)
  const question = `This ${effect}. Type the name of the database, ${name}, to continue: `
  const typed = confirm ?? (await ask(question, `Confirm with: npx cli ${command} --confirm ${name}`))
  if (typed !== name)
    throw new Exit(EXIT.usage, `The database is ${name}, not "${typed}". No changes were made.`)
}

function isLocal(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return /^(?:|localhost|127(?:\.\d+){3}|\[?::1\]?|\/.*)$/.test(decodeURIComponent(host))
}
