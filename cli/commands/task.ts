import type { Command } from 'commander'
import { calledFrom } from '../called-from.ts'

export function taskCommand(program: Command): void {
  program
    .command('task')
    .description('run a task, or list them with their last runs')
    .argument('[name]', 'the task; its own help is: cli task <name> --help')
    .argument('[flags...]', 'what it takes')
    // What follows the name is the task's, and known only once its declaration is read.
    .passThroughOptions()
    .option('--history [name]', 'the latest runs, of one task or of all')
    .option('--json', 'list as JSON')
    .addHelpText(
      'after',
      `
Examples:
  cli task
  cli task recount-posts --dry-run
  cli task import-posts --resume
  cli task --history import-posts`,
    )
    .action(
      async (
        name: string | undefined,
        flags: string[],
        options: { history?: string | true; json?: true },
      ) => {
        if (name === undefined) await (await import('../task/list.ts')).listCommand(options)
        else await (await import('../task/run.ts')).runCommand(name, flags, calledFrom)
      },
    )
}
