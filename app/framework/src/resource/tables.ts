import type { Insertable, Selectable, Updateable } from 'kysely'

/**
 * The tables of the application, by name. Each resource adds its table beside its definition:
 *
 * ```ts
 * declare module 'pergola' {
 *   interface Tables {
 *     posts: PostTable
 *   }
 * }
 * ```
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Tables {}

export type TableName = keyof Tables & string
export type ColumnOf<T extends TableName> = keyof Tables[T] & string
export type Stored<T extends TableName> = Selectable<Tables[T]>
export type NewRow<T extends TableName> = Insertable<Tables[T]>
/** A number, or text if the table's ids are UUIDs. */
export type RecordId = number | string
export type IdOfTable<T extends TableName> = T extends TableName
  ? Stored<T> extends { id: infer Id extends RecordId }
    ? Id
    : never
  : never
export type Changes<T extends TableName> = Updateable<Tables[T]>
