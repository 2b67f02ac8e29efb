import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function viewsCommand(program: Command): void {
  const views = program.command('views').description('work with the views')
  const check = views
    .command('check')
    .description(
      'check the code of the views and the data that pages give them, and the application with them',
    )
    .option('--watch', 'check again after each change')
    .action(async (options) => (await import('./check.ts')).checkCommand(options))
  examples(views, 'views check')
  examples(check, 'views check', 'views check --watch')
}
