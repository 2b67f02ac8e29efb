import type { Command } from 'commander'
import { examples } from '../help.ts'

export function workerCommand(program: Command): void {
  const worker = program
    .command('worker')
    .description('run tasks when their schedule says so; start as many as you like')
    .action(async () => (await import('../worker.ts')).workerCommand())
  examples(worker, 'worker')
}
