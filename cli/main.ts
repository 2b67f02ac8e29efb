import './caller-folder.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from './exit.ts'
import { errorAsJson, exitCodeOf, errorText } from './failure.ts'
import { makeProgram, welcome } from './program.ts'
import { commandAt } from './unknown-command.ts'

process.chdir(join(import.meta.dirname, '..'))
// Loads .env before the configuration is read, because .env can set NODE_ENV.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'development'

// The reader of a pipe can close it early: `npx cli routes | head -1`. Then a running task stops after its current batch.
let isOpen = true
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    const isHandled = isOpen ? process.emit('SIGTERM') : true
    isOpen = false
    if (!isHandled) process.exit()
  })
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  const message = errorText(error)
  if (message !== null) console.error(message)
  process.exitCode = exitCodeOf(error)
  // A program reads stdout.
  if (process.exitCode !== EXIT.done && process.argv.includes('--json'))
    console.log(JSON.stringify(errorAsJson(error), null, 2))
}

async function run(words: string[]): Promise<void> {
  if (words.length === 0) return console.log(welcome())
  const program = makeProgram()
  commandAt(program, words)
  await program.parseAsync(words, { from: 'user' })
}
