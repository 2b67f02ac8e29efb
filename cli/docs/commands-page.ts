import type { Command } from 'commander'
import { EXIT, EXIT_MEANINGS } from '../exit.ts'
import { callOf, commandsBelow } from '../help.ts'
import { makeProgram } from '../program.ts'
import { codeBlock, tableOf } from './markdown.ts'
import { SCRIPTS } from './scripts.ts'

/** Returns the page about the commands, and about the scripts of package.json. Created applications lack `new`. */
export function commandsPage(): string {
  const program = makeProgram()
  const commands = commandsBelow(program).filter((command) => command !== program && isDocumented(command))
  return [
    '# Commands',
    '`npx cli` works in every folder of the application. Results go to stdout, messages to stderr, and `--json` prints only JSON. `npx cli completion bash >> ~/.bashrc` makes `cli` short for `npx cli` and completes it on Tab.',
    '## Exit codes',
    tableOf([['Code', 'Meaning'], ...exitCodes()]),
    '## npm scripts',
    tableOf([['Script', 'Does'], ...scripts()]),
    ...commands.flatMap((command) => {
      const section = [`## npx ${callOf(command)}`, codeBlock('', helpOf(command))]
      return command.name() === 'new'
        ? ['<!-- development -->', ...section, '<!-- /development -->']
        : section
    }),
  ].join('\n\n')
}

/** Excludes the hidden `complete`, and `help`, which each group of commands has. */
const isDocumented = (command: Command): boolean =>
  command.name() !== 'complete' && (command.name() !== 'help' || command.parent?.parent === null)

const exitCodes = (): string[][] =>
  Object.entries(EXIT).map(([name, code]) => [`\`${code}\``, EXIT_MEANINGS[name as keyof typeof EXIT]])

const scripts = (): string[][] =>
  Object.entries(SCRIPTS).map(([name, does]) => [`\`${callOfScript(name)}\``, does])

const callOfScript = (name: string): string =>
  ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`

/** Returns the text that `--help` prints. */
function helpOf(command: Command): string {
  const lines: string[] = []
  command
    .configureOutput({ writeOut: (text) => void lines.push(text), getOutHelpWidth: () => 110 })
    .outputHelp()
  return lines.join('').trim()
}
