import type { Command } from 'commander'

/** Adds examples to a command's help. Pass them without `npx cli`. */
export function examples(command: Command, ...lines: string[]): Command {
  const text = lines.map((line) => `  npx cli ${line}`).join('\n')
  return command.addHelpText('after', `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${text}`)
}

/** Returns the full name of a command: `cli db migrate`. */
export function callOf(command: Command): string {
  return command.parent === null ? command.name() : `${callOf(command.parent)} ${command.name()}`
}

/** Returns a command and all its subcommands. */
export function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)]
}
