import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { readConfig } from '#app/config.ts'
import { joinEmbedded } from 'pergola'
import { untilInterrupted } from './dev/interrupt.ts'
import { freePort, portOf } from './port.ts'
import { supervise } from './dev/supervisor.ts'
import { watchCode } from './dev/watch.ts'
import { recover, recoveredInWords, writerIn } from './scaffold/project/journal.ts'

// `npm run dev`: keeps app/server.ts running while its files change. The server itself migrates, seeds and says
// where it is to be found.
const root = join(import.meta.dirname, '..')
const shell = { ...process.env }
// What did not change is not compiled again when the server restarts.
const COMPILED = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }

try {
  await dev()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
// At once: a browser may still hold a connection to the crash page open.
process.exit()

async function dev(): Promise<void> {
  const { PORT } = environment()
  const { server, database } = readConfig({ ...environment(), NODE_ENV: 'development' })
  const port = PORT ? await portOf(PORT) : await freePort(server.port)
  if (!PORT && port !== server.port) console.log(`Port ${server.port} is taken; using ${port}.`)

  while (isBeingWritten()) await sleep(100)
  const signal = untilInterrupted()
  // The server joins by itself; that this process is in too keeps Postgres running from one start to the next.
  const postgres = database.url ? null : await joinEmbedded(database.data_dir)
  try {
    await supervise({
      command: process.execPath,
      args: ['app/server.ts'],
      env: () => ({ ...COMPILED, ...environment(), NODE_ENV: 'development', PORT: String(port) }),
      host: server.host,
      port,
      watch: (changed) => watchCode(root, changed, isBeingWritten),
      signal,
    })
  } finally {
    postgres?.leave()
  }
}

/** Half a resource is no code to run, and no migration: what a command wrote that died is taken back. */
function isBeingWritten(): boolean {
  if (writerIn(root) !== null) return true
  const recovered = recover(root)
  for (const sentence of recovered === null ? [] : recoveredInWords(recovered)) console.log(sentence)
  return false
}

// Read at every start, since .env may have changed. What the shell says wins over it.
function environment(): NodeJS.ProcessEnv {
  const file = join(root, '.env')
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...shell }
}
