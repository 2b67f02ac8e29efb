import type { Command } from 'commander'
import { examples } from '../help.ts'

export function doctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('what is wrong with this installation, and what to do about it; 1 when something is')
    .option('--json', 'as JSON')
    .action(async (options) => (await import('../doctor.ts')).doctorCommand(options))
  examples(command, 'doctor', 'doctor --json', 'doctor    # with NODE_ENV=production: is it ready?')
}
