import { allTasks } from '#app/tasks/all-tasks.ts'
import { lastRuns, recentRuns, type RecordedRun } from 'pergola/tasks'
import { Exit } from '../../exit.ts'
import { findByName } from '../../nearest.ts'
import { alignedText } from '../routes/table.ts'
import type { ShardOption } from '../../shards.ts'
import { inTables } from './in-tables.ts'
import { words } from './progress-line.ts'

export interface ListOptions extends ShardOption {
  history?: string | true
  json?: true
}

/** Runs `cli task`, which lists the tasks, and `cli task --history`, which lists their runs. */
export async function listCommand({ history, json, ...options }: ListOptions): Promise<void> {
  if (history === undefined) return listTasks(json === true, options)
  const task = history === true ? undefined : findByName('task', history, allTasks).name
  const runs = await inTables(options, ({ tasks }) => recentRuns(tasks.lease_seconds, { task }))
  console.log(json ? JSON.stringify(runs, null, 2) : historyText(runs))
}

async function listTasks(json: boolean, options: ShardOption): Promise<void> {
  const runs = inTables(options, ({ tasks }) => lastRuns(tasks.lease_seconds))
  const last = await runs.catch((error: Error) => {
    if (error instanceof Exit) throw error
    // Lists the tasks even if the database is not available.
    console.error(`The last runs are not available: ${error.message}`)
    return new Map<string, RecordedRun>()
  })
  const listed = allTasks.map(({ name, description, schedule }) => ({
    name,
    description,
    schedule,
    last_run: last.get(name) ?? null,
  }))
  if (json) return console.log(JSON.stringify(listed, null, 2))
  const rows = listed.map(({ name, schedule, last_run, description }) => [
    name,
    schedule ?? '',
    last_run === null ? '' : `${last_run.outcome} ${minuteOf(last_run.started_at)}`,
    description,
  ])
  console.log(alignedText([['TASK', 'SCHEDULE (UTC)', 'LAST RUN', ''], ...rows]))
}

function historyText(runs: readonly RecordedRun[]): string {
  if (runs.length === 0) return 'No task has run yet.'
  const rows = runs.map((run) => [
    String(run.id),
    minuteOf(run.started_at),
    run.task + (run.dry_run ? ' --dry-run' : ''),
    run.outcome,
    run.ended_at === null ? '' : durationOf(run.started_at, run.ended_at),
    run.rows === null ? '' : words({ rows: run.rows, share: run.share }),
    `${run.started_by}@${run.host}`,
    run.continues_id === null ? argsText(run.args) : `continues ${run.continues_id}`,
    run.error?.split('\n')[0] ?? '',
  ])
  return alignedText([
    ['RUN', 'STARTED', 'TASK', 'OUTCOME', 'TOOK', 'PROGRESS', 'BY', 'ARGUMENTS', ''],
    ...rows,
  ])
}

const minuteOf = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ')

const durationOf = (start: string, end: string) =>
  `${((Date.parse(end) - Date.parse(start)) / 1_000).toFixed(1)} s`

const argsText = (args: object) =>
  Object.entries(args)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(' ')
