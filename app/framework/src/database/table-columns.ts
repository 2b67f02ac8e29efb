import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import { executor } from './executor.ts'

/** A column in the database. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly isNumber: boolean
  /** Whether the column is NOT NULL. */
  readonly isRequired: boolean
}

/** Returns the columns with these names that the table has; an empty list if the table doesn't exist. */
export async function columnsOf(
  resource: Resource,
  names: readonly string[],
  db: Kysely<Tables> = executor(),
): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select attname as name, format_type(atttypid, null) as type, attnotnull as "isRequired",
      typcategory = 'N' as "isNumber"
    from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = to_regclass(${tableName(resource)}) and attnum > 0 and attname = any(${names})`.execute(
    db,
  )
  return rows
}

/** Returns the table as a value for queries of the catalog. They throw if the table doesn't exist. */
export const regclass = (resource: Resource): RawBuilder<unknown> =>
  sql`${tableName(resource)}::text::regclass`

/** Returns the quoted name of the table. A schema is quoted separately. */
const tableName = ({ table }: Resource) => table.split('.').map(quoted).join('.')
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
