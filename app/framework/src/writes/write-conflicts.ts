import { Conflict, PreconditionFailed } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'

/**
 * The record changed since the caller read it, and the caller may still write it. Thrown by `update` and `delete` if
 * the caller stated a version. `storeForm` turns it into a form with both versions; elsewhere the response is a 412.
 */
export class Stale extends PreconditionFailed {
  /** The current row. */
  readonly current: object

  constructor(current: object) {
    super()
    this.current = current
  }
}

/**
 * Some rows that `upsertMany` should update don't exist any more. No row was written. `ids` are the missing rows. The
 * response is a 409.
 */
export class RowsGone extends Conflict {
  readonly ids: readonly RecordId[]

  constructor({ name }: Resource, ids: readonly RecordId[]) {
    super()
    this.message = `No ${name} has the id ${ids.join(', ')} any more. Nothing was written.`
    this.ids = ids
  }
}

/** Returns the error for rows that `upsertMany` should update, and that changed since the caller read them. */
export function changedRows({ name }: Resource, ids: readonly RecordId[]): Conflict {
  const conflict = new Conflict()
  conflict.message = `${name} ${ids.join(', ')} changed since the caller read it. Nothing was written.`
  return conflict
}
