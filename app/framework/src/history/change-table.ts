import type { ColumnType, Generated } from 'kysely'

/** What happened to a record. `delete` moves a record with `softDelete` to the trash, and `purge` deletes it. */
export type ChangeAction = 'create' | 'update' | 'delete' | 'restore' | 'purge'

/** The values of a changed field, as JSON. Null in place of a value before `create` and after `delete`. */
export interface FieldChange {
  readonly from: unknown
  readonly to: unknown
}

/** The history of the records of repositories with `history: true`. Rows are only inserted and pruned. */
export interface RecordChangeTable {
  id: Generated<number>
  /** The resource's name. */
  resource: ColumnType<string, never, never>
  record_id: ColumnType<string, never, never>
  action: ColumnType<ChangeAction, never, never>
  /** The signed-in user of the request. */
  actor_id: ColumnType<number | null, never, never>
  /** The name of the task, or the reason of `asSystem`. */
  system: ColumnType<string | null, never, never>
  request_id: ColumnType<string | null, never, never>
  changes: ColumnType<Readonly<Record<string, FieldChange>>, never, never>
  created_at: ColumnType<string, never, never>
}

declare module 'pergola' {
  interface Tables {
    record_changes: RecordChangeTable
  }
}
