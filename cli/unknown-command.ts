import type { Command } from 'commander'
import { nearest } from './nearest.ts'

/**
 * Follows these words to a command, up to the first option or argument. Reports an unknown command as an error:
 * commander alone would respond to `db migrat --help` with the help of `db`.
 */
export function commandAt(command: Command, [word, ...words]: readonly string[]): Command {
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return command
  const subcommand = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
  if (subcommand !== undefined) return commandAt(subcommand, words)
  if (command.registeredArguments.length > 0) return command
  const names = command.commands.map((one) => one.name())
  const suggestion = nearest(word, names)
  const question = suggestion === null ? '' : `\n(Did you mean ${suggestion}?)`
  return command.error(`error: unknown command '${word}'${question}`)
}
