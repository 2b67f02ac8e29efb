import { Command } from 'commander'
import { addCommand, removeCommand } from './commands/add/add.command.ts'
import { completionCommand } from './commands/completion/completion.command.ts'
import { consoleCommand } from './commands/console/console.command.ts'
import { dbCommand } from './commands/db/db.command.ts'
import { destroyCommand } from './commands/scaffold/destroy.command.ts'
import { doctorCommand } from './commands/doctor/doctor.command.ts'
import { generateCommand } from './commands/generate/generate.command.ts'
import { helpCommand } from './commands/help/help.command.ts'
import { jobsCommand } from './commands/jobs/jobs.command.ts'
import { newCommand } from './commands/new/new.command.ts'
import { routesCommand } from './commands/routes/routes.command.ts'
import { scaffoldCommand } from './commands/scaffold/scaffold.command.ts'
import { taskCommand } from './commands/task/task.command.ts'
import { upgradeCommand } from './commands/upgrade/upgrade.command.ts'
import { viewsCommand } from './commands/views/views.command.ts'
import { whyCommand } from './commands/why/why.command.ts'
import { workerCommand } from './commands/worker/worker.command.ts'
import { callOf, commandsBelow, examples } from './help.ts'

const COMMANDS = [
  newCommand,
  scaffoldCommand,
  destroyCommand,
  generateCommand,
  addCommand,
  removeCommand,
  dbCommand,
  routesCommand,
  whyCommand,
  taskCommand,
  jobsCommand,
  workerCommand,
  consoleCommand,
  doctorCommand,
  upgradeCommand,
  viewsCommand,
  completionCommand,
]

/** Declares all commands. The code of a command is imported when it runs, so that `--help` loads only the declarations. */
export function makeProgram(): Command {
  const program = new Command('cli')
    .description('The command line of Pergola')
    // An option belongs to the command that precedes it: to `audit` in `routes audit --json`.
    .enablePositionalOptions()
    .helpOption('-h, --help', 'show help')
    .exitOverride()
  for (const declare of COMMANDS) declare(program)
  for (const command of commandsBelow(program)) {
    command.showHelpAfterError(`See npx ${callOf(command)} --help.`)
    // `cli db help migrate` works too, but only the top-level help lists the command.
    if (command.commands.length > 0) helpCommand(command.helpCommand(false), { hidden: command !== program })
  }
  return examples(program, ...EXAMPLES)
}

const EXAMPLES = ['scaffold post title:string body:text', 'db migrate', "routes --info 'GET /posts/7'"]

/** Returns the text that `npx cli` prints without arguments. */
export function welcome(): string {
  const names = makeProgram().commands.map((command) => command.name())
  return [
    'The command line of Pergola: npx cli <command>',
    '',
    ...EXAMPLES.map((example) => `  npx cli ${example}`),
    '',
    `Commands: ${names.join(', ')}.`,
    'npx cli --help describes the commands, and npx cli help <command> describes one of them.',
  ].join('\n')
}
