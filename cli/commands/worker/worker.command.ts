import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function workerCommand(program: Command): void {
  const worker = program
    .command('worker')
    .description('run jobs and scheduled tasks; you can start several workers')
    .action(async () => (await import('./worker.ts')).workerCommand())
  examples(worker, 'worker')
}
