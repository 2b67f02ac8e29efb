import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function addCommand(program: Command): void {
  const command = program
    .command('add')
    .description('add a feature that some applications need, or list these features')
    .argument('[add-on]', 'the name of an add-on')
    .option('-n, --dry-run', 'print the changes without writing files')
    .option('--diff', 'like --dry-run, and print the changed lines')
    .option('--json', 'print JSON')
    .action(async (name, options) =>
      (await import('../../add-ons/change-add-ons.ts')).addCommand(name, options),
    )
  examples(command, 'add', 'add error-reporting --diff', 'add error-reporting')
}

export function removeCommand(program: Command): void {
  const command = program
    .command('remove')
    .description('remove an add-on: its files, its edits, its packages')
    .argument('<add-on>', 'the name that was passed to add')
    .option('-n, --dry-run', 'print the changes without writing files')
    .option('--diff', 'like --dry-run, and print the changed lines')
    .option('-f, --force', 'also remove edited files')
    .option('--json', 'print JSON')
    .action(async (name, options) =>
      (await import('../../add-ons/change-add-ons.ts')).removeCommand(name, options),
    )
  examples(command, 'remove error-reporting')
}
