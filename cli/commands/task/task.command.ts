import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { SHARD } from '../../shard-option.ts'
import type { ListOptions } from './list.ts'

export function taskCommand(program: Command): void {
  const task = program
    .command('task')
    .description('run a task, or list them with their last runs')
    .argument('[name]', 'the task; npx cli task <name> --help shows its flags')
    .argument('[flags...]', 'the flags of the task')
    // The words after the name are flags of the task, which can be parsed only after its declaration is loaded.
    .passThroughOptions()
    .option('--history [name]', 'list the latest runs of one task or of all')
    .option(...SHARD)
    .option('--json', 'print the list as JSON')
    .action(async (name: string | undefined, flags: string[], options: ListOptions) => {
      if (name === undefined) return (await import('./list.ts')).listCommand(options)
      const { shard, ...listing } = options
      const [option] = Object.keys(listing)
      if (option !== undefined)
        task.error(
          `error: --${option} applies to the list: omit --${option} to run ${name}, or omit ${name} to list`,
        )
      await (await import('./run.ts')).runCommand(name, flags, shard === undefined ? {} : { shard })
    })
  examples(task, 'task', 'task recount-posts --dry-run', 'task --history import-posts')
}
