import { Command } from 'commander'
import { completionCommand } from './commands/completion.ts'
import { consoleCommand } from './commands/console.ts'
import { dbCommand } from './commands/db.ts'
import { destroyCommand } from './commands/destroy.ts'
import { doctorCommand } from './commands/doctor.ts'
import { generateCommand } from './commands/generate.ts'
import { helpCommand } from './commands/help.ts'
import { routesCommand } from './commands/routes.ts'
import { scaffoldCommand } from './commands/scaffold.ts'
import { taskCommand } from './commands/task.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { workerCommand } from './commands/worker.ts'
import { callOf, commandsBelow, examples } from './help.ts'

const COMMANDS = [
  scaffoldCommand,
  destroyCommand,
  generateCommand,
  dbCommand,
  routesCommand,
  taskCommand,
  workerCommand,
  consoleCommand,
  doctorCommand,
  upgradeCommand,
  completionCommand,
]

/** Every command as it is declared. What one does is imported when it is run: `--help` reads nothing but these files. */
export function makeProgram(): Command {
  const program = new Command('cli')
    .description('Pergola on the command line')
    // Options belong to the command that they follow: `--json` after `audit` is the audit's.
    .enablePositionalOptions()
    .helpOption('-h, --help', 'what can be said here')
    .exitOverride()
  for (const declare of COMMANDS) declare(program)
  for (const command of commandsBelow(program)) {
    command.showHelpAfterError(`See npx ${callOf(command)} --help.`)
    // `cli db help migrate` too, though one line in the help is enough.
    if (command.commands.length > 0) helpCommand(command.helpCommand(false), { hidden: command !== program })
  }
  return examples(program, ...EXAMPLES)
}

const EXAMPLES = ['scaffold post title:string body:text', 'db migrate', "routes --info 'GET /posts/7'"]

/** What is said to somebody who asks for nothing yet. */
export function welcome(): string {
  const names = makeProgram().commands.map((command) => command.name())
  return [
    'Pergola on the command line: npx cli <command>',
    '',
    ...EXAMPLES.map((example) => `  npx cli ${example}`),
    '',
    `Commands: ${names.join(', ')}.`,
    'npx cli --help says what each does, npx cli help <command> how it is used.',
  ].join('\n')
}
