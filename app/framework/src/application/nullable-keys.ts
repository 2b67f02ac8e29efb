import type { Kysely } from 'kysely'
import { nullableColumns } from '../database/nullable-columns.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'
import type { AnyRepository } from '../repository/repository.ts'

/**
 * Returns a sentence for each cursor column that is nullable in the database and has no declared `nulls` order: rows
 * with NULL there would never be listed. Columns that don't exist yet are skipped. Costs one query for each
 * repository with cursor pages.
 */
export async function nullableCursorKeys(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<string[]> {
  const keys = await Promise.all(declared.map(({ repository }) => nullableKeysOf(repository, db)))
  return keys.flat()
}

async function nullableKeysOf({ resource, options, declaredAt }: AnyRepository, db: Kysely<Tables>) {
  const unplaced = (options.keys ?? []).filter(({ nulls }) => nulls === undefined).map(({ column }) => column)
  const columns = options.cursorKey === undefined ? unplaced : [options.cursorKey]
  if (columns.length === 0) return []
  const nullable = await nullableColumns(resource, columns, db)
  return nullable.map(
    (column) =>
      `${declaredAt}: cursor pages of ${resource.name} are ordered by ${column}, which may be null in the database. ` +
      `Make it not null, or declare keys with nulls: 'first' or 'last' for it.`,
  )
}
