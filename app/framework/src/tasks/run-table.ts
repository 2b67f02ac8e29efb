import type { ColumnType, Generated } from 'kysely'

type Moment = ColumnType<string, never, string>
type Fixed<Value> = ColumnType<Value, Value, never>

export interface TaskRunTable {
  id: Generated<number>
  task: Fixed<string>
  /** As they were given, before defaults. */
  args: ColumnType<object, string, never>
  dry_run: Fixed<boolean>
  /** The run that this one continues. */
  continues_id: Fixed<number | null>
  started_by: Fixed<string>
  host: Fixed<string>
  pid: Fixed<number>
  started_at: ColumnType<string, never, never>
  heartbeat_at: Moment
  ended_at: ColumnType<string | null, never, string>
  /** Null while it runs, and when nobody has noticed yet that it died. */
  outcome: ColumnType<'done' | 'failed' | 'interrupted' | 'lost' | null, never, string>
  /** Rows and share of the last progress; bigint arrives as text. */
  rows: ColumnType<string | null, number | null, number | null>
  share: number | null
  position: string | null
  error: ColumnType<string | null, never, string | null>
}

/** Who may run a task. Where the row is not, anybody. */
export interface TaskLeaseTable {
  task: string
  /** Rises with every holder. */
  run_id: number
  /** Null where nobody can tell by it whether a process is alive. */
  machine: string | null
  expires_at: string
}

declare module 'pergola' {
  interface Tables {
    task_runs: TaskRunTable
    task_leases: TaskLeaseTable
  }
}
