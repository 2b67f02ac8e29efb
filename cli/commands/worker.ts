import type { Command } from 'commander'

export function workerCommand(program: Command): void {
  program
    .command('worker')
    .description('run tasks when their schedule says so; start as many as you like')
    .action(async () => (await import('../worker.ts')).workerCommand())
}
