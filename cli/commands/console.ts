import type { Command } from 'commander'
import { examples } from '../help.ts'

export function consoleCommand(program: Command): void {
  const command = program
    .command('console')
    .description('JavaScript with the database and every repository at hand')
    .action(async () => (await import('../console.ts')).consoleCommand())
  examples(command, 'console', "console <<< 'await posts.visibleTo(await as()).count()'")
}
