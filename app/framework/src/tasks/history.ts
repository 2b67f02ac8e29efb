import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import './run-table.ts'

/** A run of a task, as it is told about. */
export interface RecordedRun {
  readonly id: number
  readonly task: string
  readonly args: object
  readonly dry_run: boolean
  readonly continues_id: number | null
  readonly started_by: string
  readonly host: string
  readonly pid: number
  readonly started_at: string
  readonly ended_at: string | null
  readonly outcome: 'running' | 'done' | 'failed' | 'interrupted' | 'lost'
  /** Null where the task counts nothing. */
  readonly rows: number | null
  /** From 0 to 1. */
  readonly share: number | null
  readonly position: string | null
  readonly error: string | null
}

/** The latest runs, of one task or of all, newest first. A run whose process fell silent is lost. */
export async function recentRuns(
  leaseSeconds: number,
  { task, limit = 20 }: { task?: string | undefined; limit?: number } = {},
): Promise<RecordedRun[]> {
  const runs = runsQuery(leaseSeconds).orderBy('id', 'desc').limit(limit)
  const found = await (task === undefined ? runs : runs.where('task', '=', task)).execute()
  return found.map(toRun)
}

/** The last run of every task that ever ran. */
export async function lastRuns(leaseSeconds: number): Promise<Map<string, RecordedRun>> {
  const found = await runsQuery(leaseSeconds)
    .distinctOn('task')
    .orderBy('task')
    .orderBy('id', 'desc')
    .execute()
  return new Map(found.map((run) => [run.task, toRun(run)]))
}

const runsQuery = (leaseSeconds: number) =>
  database()
    .selectFrom('task_runs')
    .select(['id', 'task', 'args', 'dry_run', 'continues_id', 'started_by', 'host', 'pid'])
    .select(['started_at', 'ended_at', 'rows', 'share', 'position', 'error'])
    .select(
      sql<RecordedRun['outcome']>`coalesce(outcome, case
        when heartbeat_at > clock_timestamp() - make_interval(secs => ${sql.lit(leaseSeconds)}) then 'running'
        when exists (select from task_leases where run_id = task_runs.id and expires_at > clock_timestamp())
        then 'running'
        else 'lost' end)`.as('outcome'),
    )

const toRun = <Row extends { rows: string | null }>(row: Row) => ({
  ...row,
  rows: row.rows === null ? null : Number(row.rows),
})
