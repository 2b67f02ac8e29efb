import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type REPLServer, start } from 'node:repl'
import type { Kysely } from 'kysely'
import { type Tables, withDatabase } from 'pergola'
import { type Config, readConfig } from '#app/config.ts'
import { atHand } from './console/at-hand.ts'
import { runScript } from './console/run-script.ts'
import { inDatabase } from './in-database.ts'

export async function consoleCommand(): Promise<void> {
  const config = readConfig()
  await inDatabase(config, async (db) => {
    if (process.stdin.isTTY) await once(atTerminal(config, db), 'exit')
    else print(await withDatabase(db, () => runScript(process.stdin, atHand())))
  })
}

function atTerminal({ profile, database }: Config, db: Kysely<Tables>): REPLServer {
  const known = atHand()
  console.error(`At hand: ${Object.keys(known).join(', ')}. await works, .exit leaves.`)
  const server = start({ prompt: `${profile}> ` })
  Object.defineProperties(server.context, Object.getOwnPropertyDescriptors(known))
  const evaluate = server.eval.bind(server)
  // Each line has the database at hand, as a request has it.
  const within: typeof evaluate = (...line) => withDatabase(db, () => evaluate(...line))
  Object.assign(server, { eval: within })
  remember(server, database.data_dir)
  return server
}

function remember(server: REPLServer, folder: string): void {
  mkdirSync(folder, { recursive: true })
  server.setupHistory(join(folder, 'console_history'), (error) => {
    if (error !== null) console.error(`What you type is not remembered: ${error.message}`)
  })
}

function print(value: unknown): void {
  if (value !== undefined) console.log(value)
}
