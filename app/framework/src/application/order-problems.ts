import type { Kysely } from 'kysely'
import { nullableColumns } from '../rows/nullable-columns.ts'
import { listOrder } from '../lists/list-order.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'

/**
 * Returns a sentence for each column of an `order` that is nullable in the database without a declared position of its
 * nulls: cursor pages would skip these rows. Columns that don't exist yet are skipped. Costs one query for each
 * repository with an order.
 */
export async function orderProblems(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<string[]> {
  const problems = await Promise.all(declared.map(({ repository }) => problemsOf(repository, db)))
  return problems.flat()
}

async function problemsOf({ resource, options, declaredAt }: AnyRepository, db: Kysely<Tables>) {
  if (options.order === undefined) return []
  const keys = listOrder(resource, options).filter(({ nulls }) => nulls === undefined)
  const columns = keys.map((key) => ({ ...key, table: resource.table }))
  return (await nullableColumns(columns, db)).map(
    ({ column, direction }) =>
      `${declaredAt}: lists of ${resource.name} are ordered by ${column}, which may be null in the database. ` +
      `Make it not null, or declare where its nulls are: '${direction === 'desc' ? '-' : ''}${column} nulls last'.`,
  )
}
