import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import type { StoredTable } from './stored-tables.ts'

/** Returns the columns in which a row has a text of several lines, or of more than 255 characters. */
export async function longTexts(
  db: Kysely<Tables>,
  { name, columns }: StoredTable,
): Promise<ReadonlySet<string>> {
  const texts = columns.filter(({ base }) => /^(?:text|citext|character varying(?:\(\d+\))?)$/.test(base))
  const checks = texts.map(({ column }) => {
    const value = sql.ref(column)
    const isLong = sql`char_length(${value}) > 255 or ${value} like ${'%\n%'}`
    return sql`select ${column}::text as column where exists (select from ${sql.table(name)} where ${isLong})`
  })
  if (checks.length === 0) return new Set()
  const { rows } = await sql<{ column: string }>`${sql.join(checks, sql` union all `)}`.execute(db)
  return new Set(rows.map(({ column }) => column))
}
