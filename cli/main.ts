import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { dbCommand } from './commands/db.ts'
import { destroyCommand } from './commands/destroy.ts'
import { routesCommand } from './commands/routes.ts'
import { scaffoldCommand } from './commands/scaffold.ts'
import { taskCommand } from './commands/task.ts'
import { workerCommand } from './commands/worker.ts'
import { Exit, EXIT } from './exit.ts'

// What a command does is imported when it is run: `--help` reads nothing but these declarations.
const root = join(import.meta.dirname, '..')
process.chdir(root)
// First, since it may say which profile this machine has.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'development'

const program = new Command('cli')
  .description('Pergola on the command line')
  .showHelpAfterError()
  // Options belong to the command that they follow: `--json` after `audit` is the audit's.
  .enablePositionalOptions()
  .exitOverride()

scaffoldCommand(program)
destroyCommand(program)
taskCommand(program)
workerCommand(program)
dbCommand(program)
routesCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}

function exitCodeOf(error: unknown): number {
  // Commander has said it all.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  const { message, cause } = error as Error
  console.error([message, cause].filter(Boolean).join(': '))
  return error instanceof Exit ? error.code : EXIT.failed
}
