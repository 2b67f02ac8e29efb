import { type Expression, sql, type SqlBool } from 'kysely'
import { unseenFields } from '../../policy/field-access.ts'
import { seenIds } from '../../policy/seen-record.ts'
import { policyContext } from '../../policy/policy-context.ts'
import type { Authorized } from '../../policy/recorded-decisions.ts'
import { database } from '../../database/executor.ts'
import { selectFrom } from '../../rows/statements.ts'
import { currentTenant, tenantConditions } from '../../rows/tenant.ts'
import type { ChangeAction, FieldChange } from './change-table.ts'
import { pageByCursor } from '../../lists/cursor-walk.ts'
import type { CursorPage } from '../../pagination/cursor-page.ts'
import { CursorRequest } from '../../pagination/cursor-request.ts'
import type { IdOf, Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import { withSeenIds } from './seen-changes.ts'
import { requireDecision } from '../../writes/authorized-writes.ts'

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
   * Returns a page of the changes of a record that the policy allowed to show, newest first. Contains only
   * declared columns, without the fields that the policy hides from the caller in this record. Costs one query.
   *
   * ```ts
   * const history = await posts.history(record(req, Post, 'show'), cursorRequest(req, { prefix: 'history' }))
   * ```
   */
  history(row: Authorized<'show', R>, request?: CursorRequest): Promise<CursorPage<RecordChange>>
}

/** What `asSystem` returns besides, for a repository with the history. */
export interface SystemHistory<R extends Resource> {
  /** Returns a page of the changes of a record, newest first, also of a deleted one. */
  history(id: IdOf<R>, request?: CursorRequest): Promise<CursorPage<RecordChange>>
}

export const recordHistory = <R extends Resource>(resource: R): RecordHistory<R> => ({
  async history(row, request) {
    const { req, id } = requireDecision(row, resource, ['show'])
    const ctx = await policyContext(req)
    const unseen = unseenFields(ctx, resource, row)
    const page = await changesOf(resource, id as RecordId, { request, unseen })
    return { ...page, content: await withSeenIds(page.content, seenIds(ctx, resource) ?? {}) }
  },
})

/** Returns the method of `asSystem`. Its page is empty if the record belongs to another tenant. */
export const systemHistory = <R extends Resource>(resource: R): SystemHistory<R> => ({
  history: (id, request) => changesOf(resource, id, { request, conditions: belongsToTenant(resource) }),
})

/**
 * Returns the condition that the record of a change is, or was before its deletion, one of the running code's tenant.
 * The first change of a record contains its tenant, and so does its deletion.
 */
function belongsToTenant(resource: Resource): Expression<SqlBool>[] {
  const { tenant, idKind } = resource
  // None without a tenant, and within `withAllTenants`.
  if (tenant === null || tenantConditions(resource).length === 0) return []
  const id = sql`record_changes.record_id::${sql.raw(idKind)}`
  const stored = selectFrom(resource, { which: 'all' })
    .select('id')
    .where(sql<boolean>`id = ${id}`)
  const value = (side: 'from' | 'to') => sql`c.changes -> ${tenant}::text ->> ${sql.lit(side)}`
  return [
    sql<boolean>`(exists ${stored} or exists (
      select from record_changes c where c.resource = record_changes.resource and c.record_id = record_changes.record_id
        and ${String(currentTenant())} in (${value('from')}, ${value('to')})))`,
  ]
}

interface ChangesOptions {
  request?: CursorRequest | undefined
  unseen?: readonly string[]
  conditions?: readonly Expression<SqlBool>[]
}

/** Returns a page of the changes of a record in its declared columns, without these fields. */
async function changesOf(
  { name, columns }: Resource,
  id: RecordId,
  { request = new CursorRequest(), unseen = [], conditions = [] }: ChangesOptions,
): Promise<CursorPage<RecordChange>> {
  const all = database()
    .selectFrom('record_changes')
    .select(['id', 'action', 'actor_id', 'system', 'request_id', 'created_at', 'changes'])
    .where('resource', '=', name)
    .where('record_id', '=', String(id))
  const query = conditions.reduce((rows, condition) => rows.where(condition), all)
  const page = await pageByCursor(query, request, {
    name: `history of ${name}`,
    filter: String(id),
    keys: [{ column: 'id', direction: 'desc' }],
  })
  const isShown = (field: string) => columns.includes(field) && !unseen.includes(field)
  const content = page.content.map((change) => ({
    ...change,
    changes: Object.entries(change.changes)
      .filter(([field]) => isShown(field))
      .map(([field, values]) => ({ field, ...values })),
  }))
  return { ...page, content }
}
