import { type Kysely, sql } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { quotedTable } from './row-columns.ts'

/** A column of a table in the database. */
export interface TableColumn {
  /** The name of the table, with its schema if it has one: `archive.posts`. */
  readonly table: string
  readonly column: string
}

/**
 * Returns those of these columns that may be null, in one query. Leaves out columns and tables that don't exist, and views,
 * about whose columns the catalogue knows too little.
 */
export async function nullableColumns<Column extends TableColumn>(
  columns: readonly Column[],
  db: Kysely<Tables>,
): Promise<Column[]> {
  const { rows } = await sql<{ position: string }>`
    select position
    from unnest(${columns.map(({ table }) => quotedTable(table))}::text[], ${columns.map(({ column }) => column)}::text[])
      with ordinality as key (name, attribute, position)
    join pg_class on pg_class.oid = to_regclass(key.name) and relkind in ('r', 'p', 'f')
    join pg_attribute on attrelid = pg_class.oid and attname = key.attribute and attnum > 0 and not attisdropped
    join pg_type on pg_type.oid = atttypid
    where not (attnotnull or typnotnull)
    order by position`.execute(db)
  return rows.map(({ position }) => columns[Number(position) - 1]!)
}
