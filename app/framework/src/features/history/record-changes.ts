import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { policyContext } from '../../policy/policy-context.ts'
import { currentCause, executor } from '../../database/executor.ts'
import { columnsOf } from '../../rows/row-columns.ts'
import type { AnyTables } from '../../rows/statements.ts'
import { tenantConditions } from '../../rows/tenant.ts'
import { managedColumns } from '../../resource/managed-columns.ts'
import type { Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import type { RecordQuery, WriteAction, WriteWatcher } from '../../writes/record-feature.ts'
import type { ChangeAction } from './change-table.ts'

/** Longer values are cut, so that a change of a long text doesn't store the text twice. */
const MAX_LENGTH = 1_000

/** Names of columns whose values are never stored, as a regular expression of Postgres. They should be hidden, too. */
const SECRETS = '(^|_)(password|passphrase|secret|token|digest|cookie|credential|credentials)(_|$)'

/** Records before a write: their ids, and their columns as JSON text. Null for a record that did not exist. */
interface Before {
  readonly action: ChangeAction
  readonly ids: readonly string[]
  readonly rows: readonly (string | null)[]
}

/** Returns what records the changes of a resource. `why` is the reason of `asSystem`; null for writes that a policy allowed. */
export const changeRecorder = (resource: Resource, why: string | null): WriteWatcher => ({
  inserted: (ids) =>
    insertChanges(resource, why, { action: 'create', ids: ids.map(String), rows: ids.map(() => null) }),
  async before(action, records) {
    const before = await lockedRows(resource, action, records)
    return { ids: before.ids, after: () => insertChanges(resource, why, before) }
  },
})

/** Locks in the order of the ids, so that two calls with the same records can't deadlock. */
async function lockedRows(resource: Resource, action: WriteAction, query: RecordQuery): Promise<Before> {
  const isRemoved = action === 'purge' || (action === 'delete' && !resource.managed.softDelete)
  // An update doesn't block transactions that insert references to the row.
  const locked = <Row>(rows: SelectQueryBuilder<AnyTables, 'row', Row>) =>
    (isRemoved ? rows.forUpdate() : rows.forNoKeyUpdate()).orderBy('id').execute()
  const ids = query.clearSelect().select('id')
  // As in `lockForLists`: the statement that reads lists must not wait.
  if (Object.keys(resource.joins).length > 0) await locked(ids)
  const found = await locked(ids.select(sql<string>`${recorded(resource)}::text`.as('row')))
  return { action, ids: found.map(({ id }) => String(id as RecordId)), rows: found.map(({ row }) => row) }
}

/** SQL for the recorded columns as JSON: those that rows contain, without the ones that say nothing about a change. */
function recorded(resource: Resource): RawBuilder<unknown> {
  const unrecorded = ['id', 'created_at', ...managedColumns(resource.managed)]
  const columns = resource.columns.filter((column) => !unrecorded.includes(column))
  return sql`(select to_jsonb(recorded) from (select ${sql.join(columnsOf(resource, columns))}) as recorded)`
}

/** Stores the differences between these records and the current ones, by one statement. */
async function insertChanges(resource: Resource, why: string | null, before: Before): Promise<void> {
  if (before.ids.length === 0) return
  const { actor, system, requestId } = await author(resource, why)
  const table = sql.table(resource.table)
  const hasId = sql`${table}.id = before.id::${sql.raw(resource.idKind)}`
  const conditions = [...tenantConditions(resource), hasId]
  await sql`
    insert into record_changes (resource, record_id, action, actor_id, system, request_id, changes)
    select ${resource.name}, before.id, ${before.action}, ${actor}::bigint, ${system}, ${requestId}, changes
    from unnest(${before.ids}::text[], ${before.rows}::text[]) with ordinality as before (id, columns, position)
    left join ${table} on ${sql.join(conditions, sql` and `)}
    cross join lateral (
      select coalesce(jsonb_object_agg(key, jsonb_build_object('from', ${stored(resource, 'old')}, 'to', ${stored(resource, 'new')})), '{}')
        as changes
      from jsonb_each(before.columns::jsonb) as old
      full join jsonb_each(${recorded(resource)}) as new using (key)
      where key !~ ${SECRETS} and coalesce(old.value, 'null') <> coalesce(new.value, 'null')
    ) as difference
    where ${before.action} <> 'update' or changes <> '{}'
    order by position`.execute(executor())
}

/** SQL for the stored form of a value. Decimals are text, as JSON numbers lose digits. A list of ids isn't cut: each caller sees a part. */
function stored({ joins }: Resource, side: 'old' | 'new'): RawBuilder<unknown> {
  const value = sql.ref(`${side}.value`)
  const text = sql`${value} #>> '{}'`
  return sql`case
    when length(${text}) > ${sql.lit(MAX_LENGTH)} and key <> all(${Object.keys(joins)}::text[])
    then to_jsonb(left(${text}, ${sql.lit(MAX_LENGTH)}) || '… (' || length(${text}) || ' characters)')
    when jsonb_typeof(${value}) = 'number' and ${text} !~ '^-?\\d{1,15}$' then to_jsonb(${text})
    else ${value}
  end`
}

/** Returns who writes. Throws for an authorized write in a unit without a request: its actor would be unknown. */
async function author({ name }: Resource, why: string | null) {
  const { request, system } = currentCause()
  if (request !== undefined) {
    const { userId } = await policyContext(request)
    return { actor: userId, system: why, requestId: (request.id as string | undefined) ?? null }
  }
  if (why === null)
    throw new Error(
      `The history of ${name} needs the request. Pass it: withDatabase(db, next, { request: req }).`,
    )
  return { actor: null, system: system ?? why, requestId: null }
}
