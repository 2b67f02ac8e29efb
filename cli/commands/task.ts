import type { Command } from 'commander'
import { examples } from '../help.ts'

interface ListOptions {
  history?: string | true
  json?: true
}

export function taskCommand(program: Command): void {
  const task = program
    .command('task')
    .description('run a task, or list them with their last runs')
    .argument('[name]', 'the task; npx cli task <name> --help says what it takes')
    .argument('[flags...]', 'what it takes')
    // What follows the name is the task's, and known only once its declaration is read.
    .passThroughOptions()
    .option('--history [name]', 'the latest runs, of one task or of all')
    .option('--json', 'list as JSON')
    .action(async (name: string | undefined, flags: string[], options: ListOptions) => {
      if (name === undefined) return (await import('../task/list.ts')).listCommand(options)
      const [about] = Object.keys(options)
      if (about !== undefined)
        task.error(`error: --${about} is about the list: leave it out to run ${name}, or ${name} to list`)
      await (await import('../task/run.ts')).runCommand(name, flags)
    })
  examples(task, 'task', 'task recount-posts --dry-run', 'task --history import-posts')
}
