import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { SHARD } from '../../shard-option.ts'

export function consoleCommand(program: Command): void {
  const command = program
    .command('console')
    .description('open a REPL with the database and all repositories, or run a script from stdin')
    .option(...SHARD)
    .action(async (options) => (await import('./console.ts')).consoleCommand(options))
  examples(command, 'console', "console <<< 'await posts.visibleTo(await as()).count()'")
}
