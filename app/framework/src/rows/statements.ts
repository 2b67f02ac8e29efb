import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Kysely,
  sql,
  type SqlBool,
} from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import type { Resource } from '../resource/resource.ts'
import type { RecordId, Tables } from '../resource/tables.ts'
import { hasRowVersions } from '../database/capabilities.ts'
import { executor } from '../database/executor.ts'
import { VERSION } from '../database/query-marks.ts'
import { tenantConditions } from './tenant.ts'

/**
 * The table of any resource, under the name `row`. It has no column types, so the callers of the framework's statements
 * restore the types of the resource.
 */
export interface AnyTables {
  row: Record<string, unknown>
}
export type AnyBuilder = ExpressionBuilder<AnyTables, 'row'>

/** The builder of all conditions: a new one takes as long as building a condition. */
export const IS: AnyBuilder = expressionBuilder()

export const anyTables = (db: Kysely<Tables> | ReadonlyKysely<Tables>) => db as unknown as Kysely<AnyTables>
export const tableOf = (resource: Resource) => resource.table as string as 'row'

/** Which rows a statement selects. Without `softDelete`, all rows are live. */
export type TrashFilter = 'live' | 'trashed' | 'all'

/**
 * Returns the query with which every read begins, for the rows of the running code's tenant. By default, it leaves out
 * the rows in the trash.
 */
export const selectFrom = (resource: Resource, { which = 'live' }: { which?: TrashFilter } = {}) =>
  narrowedBy(anyTables(executor()).selectFrom(tableOf(resource)), [
    ...tenantConditions(resource),
    ...trashConditions(resource, which),
  ])

/** Returns the query for a list, whose own condition contains the tenant. */
export const selectListed = (
  resource: Resource,
  { db = executor(), which = 'live' }: { db?: Parameters<typeof anyTables>[0]; which?: TrashFilter } = {},
) => narrowedBy(anyTables(db).selectFrom(tableOf(resource)), trashConditions(resource, which))

interface Narrowable<Query> {
  where(condition: Expression<SqlBool>): Query
}

/** Returns the query with these conditions, which are joined with AND. */
export const narrowedBy = <Query extends Narrowable<Query>>(
  rows: Query,
  conditions: readonly Expression<SqlBool>[],
): Query => conditions.reduce((query, condition) => query.where(condition), rows)

/** Returns ids for a condition with `in`. Their type is that of valid ids, which a column may be too small for. */
export const typedIds = ({ idKind }: Resource, ids: readonly RecordId[]) =>
  ids.map((id) => sql<RecordId>`${id}::${sql.raw(idKind)}`)

export const insertInto = (resource: Resource) => anyTables(executor()).insertInto(tableOf(resource))
export const updateTable = (resource: Resource) =>
  narrowedBy(anyTables(executor()).updateTable(tableOf(resource)), tenantConditions(resource))
export const deleteFrom = (resource: Resource) =>
  narrowedBy(anyTables(executor()).deleteFrom(tableOf(resource)), tenantConditions(resource))

/** Selects the version of a row, after its columns and before all others. */
export const rowVersion = (resource: Resource) => versionText(resource).as(VERSION)

export function hasVersion(resource: Resource, version: string) {
  if (!resource.managed.version) return hasState(resource, version)
  const [column, state] = version.split(' ')
  const isShown = sql<boolean>`version = ${column}::bigint`
  return state === undefined ? isShown : sql<boolean>`(${isShown} and ${hasState(resource, state)})`
}

const hasState = ({ table }: Resource, state: string) =>
  hasRowVersions(executor()) ? sql<boolean>`xmin = ${state}::xid` : sql<boolean>`${rowHash(table)} = ${state}`

/**
 * Returns the version of a row as text: `xmin`, which each updating transaction changes, else a hash of the row, so that a
 * decision holds while the row has the same values. A managed `version` precedes `xmin`, as in `3 75102`, because code
 * that updates the row may leave `version` as it is; without `xmin`, it is the whole text. `alias` is the name of the
 * table in the statement, if it has another one.
 */
export function versionText(
  { table, managed }: Resource,
  { alias, db = executor() }: { alias?: string; db?: Kysely<Tables> } = {},
) {
  const column = (name: string) =>
    sql`${sql.raw(alias === undefined ? '' : `"${alias}".`)}${sql.raw(name)}::text`
  const hasXmin = hasRowVersions(db)
  if (!managed.version) return hasXmin ? sql<string>`${column('xmin')}` : rowHash(alias ?? table)
  return hasXmin
    ? sql<string>`${column('version')} || ' ' || ${column('xmin')}`
    : sql<string>`${column('version')}`
}

/** Returns the managed `version` in the text of `versionText`, which callers see. */
export const managedVersion = (version: string): string => version.split(' ', 1)[0] ?? version

const rowHash = (table: string) => sql<string>`md5((${sql.table(table)}.*)::text)`

/** Returns the conditions for live or trashed rows; an empty list without `softDelete`. */
export function trashConditions(resource: Resource, which: TrashFilter): Expression<SqlBool>[] {
  if (which === 'all' || !resource.managed.softDelete) return []
  const deletedAt = sql.ref(`${resource.table}.deleted_at`)
  return [which === 'live' ? sql<boolean>`${deletedAt} is null` : sql<boolean>`${deletedAt} is not null`]
}
