import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function destroyCommand(program: Command): void {
  const command = program
    .command('destroy')
    .description('remove a scaffolded resource: its files, its routes, its table')
    .argument('<model>', 'the name that was passed to scaffold')
    .option('-n, --dry-run', 'print the changes without writing files')
    .option('-f, --force', 'also remove files that were not generated, edited files, and tables with rows')
    .option('--json', 'print JSON')
    .action(async (name, options) =>
      (await import('../../scaffold/scaffold-command.ts')).destroyCommand(name, options),
    )
  examples(command, 'destroy post', 'destroy post --force')
}
