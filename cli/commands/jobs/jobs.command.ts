import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { SHARD } from '../../shard-option.ts'

const AS_JSON = ['--json', 'print JSON'] as const
const ALL = ['--all <name>', 'all failed jobs with this name'] as const

export function jobsCommand(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('count the jobs that wait, run and have failed')
    .option(...SHARD)
    .option(...AS_JSON)
    .action(async (options) => (await import('./list.ts')).countCommand(options))
  examples(jobs, 'jobs', 'jobs failed', 'jobs retry --all send-mail')

  const failed = jobs
    .command('failed')
    .argument('[name]', 'only jobs with this name')
    .description('list the jobs that failed for the last time, with their errors')
    .option(...SHARD)
    .option(...AS_JSON)
    .action(async (name, options) => (await import('./list.ts')).failedCommand(name, options))
  examples(failed, 'jobs failed', "jobs failed send-mail --json | jq '.[].error'")

  const waiting = jobs
    .command('waiting')
    .argument('[name]', 'only jobs with this name')
    .description('list the jobs that wait, next first')
    .option(...SHARD)
    .option(...AS_JSON)
    .action(async (name, options) => (await import('./list.ts')).waitingCommand(name, options))
  examples(waiting, 'jobs waiting')

  const retry = jobs
    .command('retry')
    .argument('[ids...]', 'the ids of jobs that failed or wait')
    .description('run failed jobs again, or delayed jobs at once')
    .option(...SHARD)
    .option(...ALL)
    .action(async (ids, options) => (await import('./change.ts')).retryCommand(ids, options))
  examples(retry, 'jobs retry 0b6f4a52-7f0c-4a39-9d3e-2a3f4f6d8c11', 'jobs retry --all send-mail')

  const discard = jobs
    .command('discard')
    .argument('[ids...]', 'the ids of jobs that failed or wait')
    .description('delete failed jobs, or jobs that wait')
    .option(...SHARD)
    .option(...ALL)
    .action(async (ids, options) => (await import('./change.ts')).discardCommand(ids, options))
  examples(discard, 'jobs discard 0b6f4a52-7f0c-4a39-9d3e-2a3f4f6d8c11', 'jobs discard --all send-mail')
}
