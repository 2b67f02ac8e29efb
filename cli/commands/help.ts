import type { Command } from 'commander'
import { examples } from '../help.ts'
import { commandAt } from '../unknown-command.ts'

export function helpCommand(group: Command, { hidden }: { hidden: boolean }): void {
  const help = group
    .command('help', { hidden })
    .argument('[command...]', 'its name, like db migrate')
    .description('how a command is used')
    .action((names: string[]) => commandAt(group, names).help())
  examples(help, 'help db migrate')
}
