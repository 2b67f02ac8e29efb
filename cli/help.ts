import type { Command } from 'commander'

/** Examples at the end of a command's help: what to type, without the `npx cli` before it. */
export function examples(command: Command, ...lines: string[]): Command {
  const text = lines.map((line) => `  npx cli ${line}`).join('\n')
  return command.addHelpText('after', `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${text}`)
}

/** How a command is called, from the program on: `cli db migrate`. */
export function callOf(command: Command): string {
  return command.parent === null ? command.name() : `${callOf(command.parent)} ${command.name()}`
}

/** A command and all below it. */
export function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)]
}
