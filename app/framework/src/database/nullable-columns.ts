import { type Kysely, sql } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'

/** Returns which of the columns are nullable in the database. Ignores columns and tables that don't exist. */
export async function nullableColumns(
  resource: Resource,
  columns: readonly string[],
  db: Kysely<Tables>,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${tableName(resource)}) and attnum > 0 and not attnotnull
      and attname = any(${columns})`.execute(db)
  return rows.map(({ name }) => name)
}

/** The quoted name; a schema is quoted separately. */
const tableName = ({ table }: Resource) => table.split('.').map(quoted).join('.')
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
