import type { ColumnType, Generated } from 'kysely'
import type { WriteAction } from '../../writes/record-feature.ts'

type Fixed<Value> = ColumnType<Value, Value, never>

/** What happened to a record. */
export type ChangeAction = 'create' | WriteAction

/** The values of a changed field, as JSON. Null in place of a value before `create` and after `delete`. */
export interface FieldChange {
  readonly from: unknown
  readonly to: unknown
}

declare module 'pergola' {
  interface Tables {
    /** The history of the records of repositories with the feature `history`. Rows are only inserted and pruned. */
    record_changes: {
      id: Generated<number>
      /** The resource's name. */
      resource: Fixed<string>
      record_id: Fixed<string>
      action: Fixed<ChangeAction>
      /** The signed-in user of the request. */
      actor_id: Fixed<number | null>
      /** The name of the task, or the reason of `asSystem`. */
      system: Fixed<string | null>
      request_id: Fixed<string | null>
      changes: ColumnType<Readonly<Record<string, FieldChange>>, string, never>
      created_at: ColumnType<string, never, never>
    }
  }
}
