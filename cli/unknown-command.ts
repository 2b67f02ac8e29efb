import type { Command } from 'commander'
import { nearest } from './nearest.ts'

/**
 * The command that these words lead to, up to the first that is none of its commands' names: an option, or an argument.
 * Ends as a wrong command line where only a command could stand. Commander alone would answer `db migrat --help`
 * with the help of `db`, as if all were well.
 */
export function commandAt(command: Command, [word, ...words]: readonly string[]): Command {
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return command
  const found = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
  if (found !== undefined) return commandAt(found, words)
  if (command.registeredArguments.length > 0) return command
  const names = command.commands.map((one) => one.name())
  const suggestion = nearest(word, names)
  const question = suggestion === null ? '' : `\n(Did you mean ${suggestion}?)`
  return command.error(`error: unknown command '${word}'${question}`)
}
