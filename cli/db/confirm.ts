import type { Config } from '#app/config.ts'
import { databaseName } from 'pergola'
import { ask } from '../ask.ts'
import { Exit, EXIT } from '../exit.ts'

interface Loss {
  /** What was given as `--confirm`. */
  confirm: string | undefined
  /** What is about to be done, of a database: `drops the database and everything in it`. */
  does: string
  /** The command that does it unasked, up to the name. */
  command: string
}

/**
 * Asks for the name of the database before something that can't be brought back is done to it, so that it is no slip.
 * A development database of this machine is nobody else's, and nothing is asked.
 */
export async function confirmLoss(
  url: string,
  { profile }: Config,
  { confirm, does, command }: Loss,
): Promise<void> {
  if (profile !== 'production' && isLocal(url) && confirm === undefined) return
  const name = databaseName(url)
  const question = `This ${does}: ${name}. Type its name to go on: `
  const given = confirm ?? (await ask(question, `Say which: npx cli ${command} --confirm ${name}`))
  if (given !== name)
    throw new Exit(EXIT.usage, `The database is ${name}, not "${given}". Nothing is changed.`)
}

function isLocal(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return /^(?:|localhost|127(?:\.\d+){3}|\[?::1\]?|\/.*)$/.test(decodeURIComponent(host))
}
