import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import { executor } from './executor.ts'

/** A column as the database has it. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly isNumber: boolean
  /** Declared NOT NULL. */
  readonly isRequired: boolean
}

/** Those of these columns that the table has. None where there is no such table yet. */
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

/** The table as a value that the catalogue looks up; throws there where it doesn't exist. */
export const regclass = (resource: Resource): RawBuilder<unknown> =>
  sql`${tableName(resource)}::text::regclass`

/** The name as Postgres reads it: quoted, each part of one with a schema. */
const tableName = ({ table }: Resource) => table.split('.').map(quoted).join('.')
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
