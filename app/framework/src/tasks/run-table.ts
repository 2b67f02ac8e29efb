import type { ColumnType, Generated } from 'kysely'

type Moment = ColumnType<string, never, string>
type Fixed<Value> = ColumnType<Value, Value, never>

declare module 'pergola' {
  interface Tables {
    task_runs: {
      id: Generated<number>
      task: Fixed<string>
      /** The arguments of the caller, without defaults. */
      args: ColumnType<object, string, never>
      dry_run: Fixed<boolean>
      /** The run that this one resumed. */
      continues_id: Fixed<number | null>
      started_by: Fixed<string>
      host: Fixed<string>
      pid: Fixed<number>
      started_at: ColumnType<string, never, never>
      heartbeat_at: Moment
      ended_at: ColumnType<string | null, never, string>
      /** Null while the run is active. After a crash, null until another process marks the run as lost. */
      outcome: ColumnType<'done' | 'failed' | 'interrupted' | 'lost' | null, never, string>
      /** Rows and share of the last progress; bigint arrives as text. */
      rows: ColumnType<string | null, number | null, number | null>
      share: number | null
      position: string | null
      error: ColumnType<string | null, never, string | null>
    }
    /** The leases: a row names the run that may execute a task. Without a row, any process may start the task. */
    task_leases: {
      task: string
      /** The run that holds the lease. Each holder has a higher id than the one before. */
      run_id: number
      /** The `machineId` of the holder. Null if its system has none: other processes then wait until the lease expires. */
      machine: string | null
      expires_at: string
    }
  }
}
