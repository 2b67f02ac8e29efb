import { unseenFields } from '../authorization/field-rules.ts'
import { policyContext } from '../authorization/policy-context.ts'
import type { Authorized } from '../authorization/request-state.ts'
import { database } from '../database/executor.ts'
import type { ChangeAction, FieldChange } from '../history/change-table.ts'
import { pageByCursor } from '../lists/cursor-walk.ts'
import type { CursorPage } from '../pagination/cursor-page.ts'
import { CursorRequest } from '../pagination/cursor-request.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { requireDecision } from '../writes/authorized-writes.ts'

/** A change of a record, as `history` returns it. */
export interface RecordChange {
  readonly id: number
  readonly action: ChangeAction
  /** The signed-in user who changed the record. Null for a guest and for tasks. */
  readonly actor_id: number | null
  /** The name of the task, or the reason of `asSystem`. Null for a write that the policy allowed. */
  readonly system: string | null
  readonly request_id: string | null
  readonly created_at: string
  /** The changed fields that the caller sees. Values of more than 1,000 characters are cut. */
  readonly changes: readonly (FieldChange & { readonly field: string })[]
}

export interface RecordHistory<R extends Resource> {
  /**
   * Returns a page of the changes of a record that the policy allowed to show, newest first. Leaves out hidden columns,
   * and fields that the policy hides from the caller in this record. Costs one query.
   *
   * ```ts
   * const history = await posts.history(record(req, Post, 'show'), cursorRequest(req, { prefix: 'history' }))
   * ```
   */
  history(row: Authorized<'show', R>, request?: CursorRequest): Promise<CursorPage<RecordChange>>
}

export const recordHistory = <R extends Resource>(resource: R): RecordHistory<R> => ({
  async history(row, request) {
    const { req, id } = requireDecision(row, resource, ['show'])
    const unseen = unseenFields(await policyContext(req), resource, row)
    return changesOf(resource, id as RecordId, request, unseen)
  },
})

/** Returns a page of the changes of a record without the hidden columns and without these fields. */
export async function changesOf(
  { name, hidden }: Resource,
  id: RecordId,
  request = new CursorRequest(),
  unseen: readonly string[] = [],
): Promise<CursorPage<RecordChange>> {
  const query = database()
    .selectFrom('record_changes')
    .select(['id', 'action', 'actor_id', 'system', 'request_id', 'created_at', 'changes'])
    .where('resource', '=', name)
    .where('record_id', '=', String(id))
  const page = await pageByCursor(query, request, {
    name: `history of ${name}`,
    filter: String(id),
    keys: [{ column: 'id', direction: 'desc' }],
  })
  const isLeftOut = (field: string) => hidden.includes(field) || unseen.includes(field)
  const content = page.content.map((change) => ({
    ...change,
    changes: Object.entries(change.changes)
      .filter(([field]) => !isLeftOut(field))
      .map(([field, values]) => ({ field, ...values })),
  }))
  return { ...page, content }
}
