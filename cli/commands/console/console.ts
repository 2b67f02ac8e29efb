import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type REPLServer, start } from 'node:repl'
import type { Kysely } from 'kysely'
import { type Tables, withDatabase } from 'pergola'
import { type Config, readConfig } from '#app/config.ts'
import { consoleGlobals } from './globals.ts'
import { runScript } from './run-script.ts'
import { inDatabase } from '../../in-database.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'

/** Security events and the history of records name the console. */
const CAUSE = { system: 'console', log: { info: logLine, error: logLine } }

function logLine(fields: object, message: string): void {
  console.error(`${message} ${JSON.stringify(fields)}`)
}

export async function consoleCommand(options: ShardOption): Promise<void> {
  const config = oneDatabase(readConfig(), options)
  await inDatabase(config, async (db) => {
    if (process.stdin.isTTY) await once(startRepl(config, db), 'exit')
    else print(await withDatabase(db, () => runScript(process.stdin, consoleGlobals()), CAUSE))
  })
}

function startRepl({ profile, shard, database }: Config, db: Kysely<Tables>): REPLServer {
  const globals = consoleGlobals()
  console.error(`Globals: ${Object.keys(globals).join(', ')}. You can use await. Type .exit to quit.`)
  const server = start({ prompt: `${[profile, shard].filter(Boolean).join(' ')}> ` })
  Object.defineProperties(server.context, Object.getOwnPropertyDescriptors(globals))
  const evaluate = server.eval.bind(server)
  // Each line runs with the database, like a request.
  const within: typeof evaluate = (...line) => withDatabase(db, () => evaluate(...line), CAUSE)
  Object.assign(server, { eval: within })
  saveHistory(server, database.data_dir)
  return server
}

function saveHistory(server: REPLServer, folder: string): void {
  mkdirSync(folder, { recursive: true })
  server.setupHistory(join(folder, 'console_history'), (error) => {
    if (error !== null) console.error(`The history is not saved: ${error.message}`)
  })
}

function print(value: unknown): void {
  if (value !== undefined) console.log(value)
}
