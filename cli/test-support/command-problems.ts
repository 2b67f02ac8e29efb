import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { commandsBelow } from '../help.ts'
import { makeProgram } from '../program.ts'
import { root } from '../test/tools.ts'
import { commandAt } from '../unknown-command.ts'
import { commandsIn } from '../docs/shell-words.ts'

/** Returns a message for each command of a line that doesn't exist, or has other options. Runs none of them. */
export const commandProblems = (line: string, scripts: readonly string[]): string[] =>
  commandsIn(line).flatMap((words) => problemOf(words, scripts) ?? [])

function problemOf(words: readonly string[], scripts: readonly string[]): string | null {
  const [program, first = '', second = ''] = words
  if (program === 'npx' && first === 'cli') return cliProblem(words.slice(2))
  if (program === 'npm' && ['test', 'start'].includes(first)) return null
  if (program === 'npm' && first === 'run' && !scripts.includes(second))
    return `package.json has no script ${second}.`
  if (program === 'node' && /^(?:app|cli|e2e)\//.test(first) && !existsSync(join(root, first)))
    return `${first} doesn't exist.`
  return null
}

/** Parses a command line as `npx cli` does. A mention without the required arguments is accepted. */
function cliProblem(words: readonly string[]): string | null {
  const program = makeProgram()
  for (const command of commandsBelow(program))
    command
      .exitOverride()
      .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
      .action(() => undefined)
  try {
    const command = commandAt(program, words)
    const isGroup = command.commands.length > 0 && words.every((word) => !word.startsWith('-'))
    if (!isGroup) program.parse([...words], { from: 'user' })
    return null
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return ['commander.missingArgument', 'commander.helpDisplayed', 'commander.help'].includes(error.code)
      ? null
      : error.message
  }
}
