import type { ColumnType, Generated } from 'kysely'

type Fixed<Value> = ColumnType<Value, Value, never>

/** The security events. Rows are inserted by `recordEvent`, and never updated. */
export interface SecurityEventTable {
  id: Generated<number>
  kind: Fixed<string>
  /** The signed-in user. Null for a guest, for a task and for the console. */
  actor_id: Fixed<number | null>
  /** The account that the event is about. Kept when the account is deleted. */
  target_id: Fixed<number | null>
  /** The name of the task, or `console`. Null for requests. */
  system: Fixed<string | null>
  /** The granted role, or the limited action. */
  detail: Fixed<string | null>
  /** The network address of the client. */
  address: Fixed<string | null>
  /** The User-Agent header, truncated to 200 characters. */
  user_agent: Fixed<string | null>
  request_id: Fixed<string | null>
  created_at: ColumnType<string, never, never>
}

declare module 'pergola' {
  interface Tables {
    security_events: SecurityEventTable
  }
}
