import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import { executor } from './executor.ts'

/**
 * The framework's own statements are built for tables it doesn't know: `row` stands for whichever it is. This is the
 * one place where types are let go; whoever calls it gives the result the types of a resource.
 */
export interface AnyTables {
  row: Record<string, unknown>
}
export type AnyBuilder = ExpressionBuilder<AnyTables, 'row'>

export const anyTables = (db: Kysely<Tables>) => db as unknown as Kysely<AnyTables>
export const tableOf = (resource: Resource) => resource.table as string as 'row'

/** Which rows a statement is about. Where deleting is for good they are all live. */
export type Which = 'live' | 'trashed' | 'all'

/** Where every read begins: without what is in the trash, unless that is asked for. */
export const selectFrom = (
  resource: Resource,
  { db = executor(), which = 'live' }: { db?: Kysely<Tables>; which?: Which } = {},
) => {
  const rows = anyTables(db).selectFrom(tableOf(resource))
  return areThere(resource, which).reduce((query, condition) => query.where(condition), rows)
}

export const insertInto = (resource: Resource) => anyTables(executor()).insertInto(tableOf(resource))
export const updateTable = (resource: Resource) => anyTables(executor()).updateTable(tableOf(resource))
export const deleteFrom = (resource: Resource) => anyTables(executor()).deleteFrom(tableOf(resource))

/** The name under which a row's version travels from the database to the proof of a decision. */
export const VERSION = '__version'

/** `version` where the resource has it; else `xmin`, which every update changes, of those of one transaction the first. */
export const rowVersion = (resource: Resource) =>
  (resource.managed.version ? sql<string>`version::text` : sql<string>`xmin::text`).as(VERSION)

export const hasVersion = (resource: Resource, version: string) =>
  resource.managed.version ? sql<boolean>`version = ${version}::bigint` : sql<boolean>`xmin = ${version}::xid`

/** What is true of the rows that are meant; nothing where there is no trash. */
export function areThere(resource: Resource, which: Which): Expression<SqlBool>[] {
  if (which === 'all' || !resource.managed.softDelete) return []
  const deletedAt = sql.ref(`${resource.table}.deleted_at`)
  return [which === 'live' ? sql<boolean>`${deletedAt} is null` : sql<boolean>`${deletedAt} is not null`]
}
