import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import './run-table.ts'

/** A run of a task, as the history stores it. */
export interface RecordedRun {
  readonly id: number
  readonly task: string
  readonly args: object
  readonly dry_run: boolean
  /** The run that this one resumed. */
  readonly continues_id: number | null
  readonly started_by: string
  readonly host: string
  readonly pid: number
  readonly started_at: string
  readonly ended_at: string | null
  readonly outcome: 'running' | 'done' | 'failed' | 'interrupted' | 'lost'
  /** Null if the task reports no progress. */
  readonly rows: number | null
  /** The completed share of the work, from 0 to 1. */
  readonly share: number | null
  /** The last checkpoint. */
  readonly position: string | null
  readonly error: string | null
}

/**
 * Returns the latest runs of one task or of all, newest first; 20 by default. A run that has not ended has the outcome
 * `lost` if it has neither a valid lease nor a heartbeat in the last `leaseSeconds`. Costs one query; call it within
 * `withDatabase`.
 */
export async function recentRuns(
  leaseSeconds: number,
  { task, limit = 20 }: { task?: string | undefined; limit?: number } = {},
): Promise<RecordedRun[]> {
  const runs = runsQuery(leaseSeconds).orderBy('id', 'desc').limit(limit)
  const rows = await (task === undefined ? runs : runs.where('task', '=', task)).execute()
  return rows.map(toRun)
}

/** Returns the last run of each task, by its name. Costs one query; call it within `withDatabase`. */
export async function lastRuns(leaseSeconds: number): Promise<Map<string, RecordedRun>> {
  const rows = await runsQuery(leaseSeconds)
    .distinctOn('task')
    .orderBy('task')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((run) => [run.task, toRun(run)]))
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
