import './called-from.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, sentenceOf } from './failure.ts'
import { makeProgram, welcome } from './program.ts'
import { commandAt } from './unknown-command.ts'

process.chdir(join(import.meta.dirname, '..'))
// First, since it may say which profile this machine has.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'development'

// Whoever reads may have seen enough: `npx cli routes | head -1`. A task that is under way ends with its batch.
let isRead = true
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    const somebodyEnds = isRead ? process.emit('SIGTERM') : true
    isRead = false
    if (!somebodyEnds) process.exit()
  })
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  const sentence = sentenceOf(error)
  if (sentence !== null) console.error(sentence)
  process.exitCode = codeOf(error)
}

async function run(words: string[]): Promise<void> {
  if (words.length === 0) return console.log(welcome())
  const program = makeProgram()
  commandAt(program, words)
  await program.parseAsync(words, { from: 'user' })
}
