import type { Command } from 'commander'
import { examples } from '../help.ts'

export function consoleCommand(program: Command): void {
  const command = program
    .command('console')
    .description('open a REPL with the database and all repositories, or run a script from stdin')
    .action(async () => (await import('../console.ts')).consoleCommand())
  examples(command, 'console', "console <<< 'await posts.visibleTo(await as()).count()'")
}
