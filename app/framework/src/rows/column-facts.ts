import { type Kysely, sql } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import { quotedTable } from './row-columns.ts'

/** A column of a table in the database. */
export interface TableColumn {
  /** The name of the table, with its schema if it has one: `archive.posts`. */
  readonly table: string
  readonly column: string
}

/** What the catalogue of Postgres knows about a column. */
interface ColumnFacts {
  readonly isNullable: boolean
}

/**
 * Returns the facts about each column, in one query. Null for a column or a table that doesn't exist, and for a view,
 * about whose columns the catalogue knows too little.
 */
export async function columnFacts(
  columns: readonly TableColumn[],
  db: Kysely<Tables>,
): Promise<(ColumnFacts | null)[]> {
  const { rows } = await sql<ColumnFacts & { index: string }>`
    select key.index, not (attnotnull or typnotnull) as "isNullable"
    from unnest(${columns.map(({ table }) => quotedTable(table))}::text[], ${columns.map(({ column }) => column)}::text[])
      with ordinality as key (name, attribute, index)
    join pg_class on pg_class.oid = to_regclass(key.name) and relkind in ('r', 'p', 'f')
    join pg_attribute on attrelid = pg_class.oid and attname = key.attribute and attnum > 0 and not attisdropped
    join pg_type on pg_type.oid = atttypid`.execute(db)
  const byIndex = new Map(rows.map(({ index, isNullable }) => [Number(index), { isNullable }]))
  return columns.map((_column, index) => byIndex.get(index + 1) ?? null)
}
