import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
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

export const selectFrom = (resource: Resource, db = executor()) => anyTables(db).selectFrom(tableOf(resource))
export const insertInto = (resource: Resource) => anyTables(executor()).insertInto(tableOf(resource))
export const updateTable = (resource: Resource) => anyTables(executor()).updateTable(tableOf(resource))
export const deleteFrom = (resource: Resource) => anyTables(executor()).deleteFrom(tableOf(resource))

/** Written into the query of every list: when one can't be read, it is no empty list and no fault of the caller's. */
export const LIST = '/* list */'

/** Written into a query that must find an index in this order: development looks whether it does. */
export const keysetMark = (order: string) => `/* keyset (${order}) */`
/** The order that a marked statement walks in; null for any other. */
export const keysetOrder = (statement: string) => /\/\* keyset \((.+?)\) \*\//.exec(statement)?.[1] ?? null

/** The name under which a row's version travels from the database to the proof of a decision. */
export const VERSION = '__version'

/** `xmin` changes with every update of a row, of those that one transaction makes with the first. */
export const rowVersion = sql<string>`xmin::text`.as(VERSION)
export const hasVersion = (version: string) => sql<boolean>`xmin = ${version}::xid`
