import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function doctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('check this installation, and print how to fix problems; exit code 1 if there are any')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./doctor.ts')).doctorCommand(options))
  examples(
    command,
    'doctor',
    'doctor --json',
    'doctor    # with NODE_ENV=production: checks the production settings',
  )
}
