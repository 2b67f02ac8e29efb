import type { Insertable, Selectable, Updateable } from 'kysely'

/**
 * Every table of the application. A resource adds its own beside its definition:
 * `declare module '#framework' { interface Tables { posts: PostTable } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Tables {}

export type TableName = keyof Tables & string
export type ColumnOf<T extends TableName> = keyof Tables[T] & string
export type Stored<T extends TableName> = Selectable<Tables[T]>
export type NewRow<T extends TableName> = Insertable<Tables[T]>
export type Changes<T extends TableName> = Updateable<Tables[T]>
