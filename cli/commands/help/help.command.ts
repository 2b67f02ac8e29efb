import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { commandAt } from '../../unknown-command.ts'

export function helpCommand(group: Command, { hidden }: { hidden: boolean }): void {
  const help = group
    .command('help', { hidden })
    .argument('[command...]', 'the name of a command, like db migrate')
    .description('show the help of a command')
    .action((names: string[]) => commandAt(group, names).help())
  examples(help, 'help db migrate')
}
