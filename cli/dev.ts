import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { readConfig } from '#app/config.ts'
import { databasesOf, joinEmbedded } from 'pergola/database'
import { untilInterrupted } from './dev/interrupt.ts'
import { LoadedProcess } from './dev/loaded-process.ts'
import { portOf } from './port.ts'
import { Front } from './dev/front.ts'
import { supervise } from './dev/supervisor.ts'
import { showTypeErrors } from './dev/types/show-type-errors.ts'
import { watchFiles } from './dev/watch.ts'
import { developmentWorker } from './dev/worker.ts'
import { writerIn } from './project/lock.ts'

// `npm run dev`: runs app/server.ts and a worker, and restarts both when their files change. The server itself migrates,
// seeds and prints its address.
const root = join(import.meta.dirname, '..')
const shell = { ...process.env }
/** Returns whether a command is writing files, because the server must not run incomplete code. */
const isBeingWritten = (): boolean => writerIn(root) !== null
// Unchanged files are not compiled again when the server restarts.
const COMPILED = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }

try {
  await dev()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
// Exits without waiting for connections to close: a browser can keep its connection to the crash page open.
process.exit()

async function dev(): Promise<void> {
  const { PORT } = environment()
  const config = readConfig({ ...environment(), NODE_ENV: 'development' })
  const { host, port } = config.server
  const front = await Front.open({ host, port: PORT ? await portOf(PORT) : port, orNext: !PORT })
  if (!PORT && front.port !== port) console.log(`Port ${port} is in use. Using ${front.port}.`)

  const address = `http://localhost:${front.port}`

  while (isBeingWritten()) await sleep(100)
  const signal = untilInterrupted()
  // The server also starts the embedded Postgres. Using it from this process keeps it running between restarts.
  const isEmbedded = databasesOf(config).some(({ database }) => database.url === undefined)
  const postgres = isEmbedded ? await joinEmbedded(config.database.data_dir) : null
  const own = () => ({ BASE_URL: address, ...COMPILED, ...environment(), NODE_ENV: 'development' })
  const server = new LoadedProcess({
    command: process.execPath,
    args: ['app/server.ts'],
    loader: 'cli/dev/load-packages.js',
    installed: 'node_modules/.package-lock.json',
    // The server listens on a port of its own, and prints the address of this process.
    env: () => ({ ...own(), PORT: '0' }),
  })
  const types = showTypeErrors(front.pages, { address, env: own })
  try {
    await supervise({
      server,
      front,
      worker: developmentWorker({ command: process.execPath, args: ['cli/main.ts', 'worker'], env: own }),
      watch: (changed, recovered) => {
        postgres?.keepRunning((message) => {
          console.error(message)
          recovered()
        })
        return watchFiles(root, {
          code: (file) => {
            // The next server has loaded pergola in advance, with the environment of then.
            if (file === '.env' || file.startsWith('app/framework/')) server.discard()
            changed(file)
          },
          pages: () => front.pages.refresh(),
          isWriting: isBeingWritten,
        })
      },
      signal,
    })
  } finally {
    types.stop()
    server.discard()
    postgres?.leave()
  }
}

// Reads .env at every start of the server, because it may have changed. Variables of the shell override it.
function environment(): NodeJS.ProcessEnv {
  const file = join(root, '.env')
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...shell }
}
