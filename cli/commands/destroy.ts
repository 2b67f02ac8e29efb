import type { Command } from 'commander'
import { examples } from '../help.ts'

export function destroyCommand(program: Command): void {
  const command = program
    .command('destroy')
    .description('take a scaffolded resource away: its files, its routes, its table')
    .argument('<model>', 'as it was scaffolded')
    .option('-n, --dry-run', 'say what would be removed, and remove nothing')
    .option('-f, --force', 'also companions, files that were edited by hand, and rows')
    .option('--json', 'as JSON')
    .action(async (name, options) => (await import('../scaffold/command.ts')).destroyCommand(name, options))
  examples(command, 'destroy post', 'destroy post --force')
}
