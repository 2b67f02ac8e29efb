import type { Kysely } from 'kysely'
import { columnFacts } from '../database/column-facts.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'

/**
 * Returns a sentence for each cursor column whose declaration contradicts the database: it is nullable and has no
 * declared `nulls` order, or its type is not `cursorKeyType`. Columns that don't exist yet are skipped. Costs one query
 * for each repository with cursor pages.
 */
export async function cursorKeyProblems(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<string[]> {
  const problems = await Promise.all(declared.map(({ repository }) => problemsOf(repository, db)))
  return problems.flat()
}

async function problemsOf({ resource, options, declaredAt }: AnyRepository, db: Kysely<Tables>) {
  const { cursorKey, cursorKeyType, keys = [] } = options
  const unplaced = keys.filter(({ nulls }) => nulls === undefined).map(({ column }) => column)
  const columns = cursorKey === undefined ? unplaced : [cursorKey]
  if (columns.length === 0) return []
  const facts = await columnFacts(
    columns.map((column) => ({ table: resource.table, column })),
    db,
  )
  return columns.flatMap((column, index) => {
    const { isNullable = false, type = null } = facts[index] ?? {}
    const problems: string[] = []
    if (isNullable)
      problems.push(
        `${declaredAt}: cursor pages of ${resource.name} are ordered by ${column}, which may be null in the database. ` +
          `Make it not null, or declare keys with nulls: 'first' or 'last' for it.`,
      )
    if (type !== null && cursorKeyType !== undefined && !isOfType(type, cursorKeyType))
      problems.push(
        `${declaredAt}: the cursorKeyType of ${resource.name} is '${cursorKeyType}', but the type of ${column} is ${type}. ` +
          `Declare this type, or keys: [{ column: '${column}', direction: 'desc' }], which have no type.`,
      )
    return problems
  })
}

/** Returns whether a column has the declared type. All types of texts are declared as `text`. */
const isOfType = (type: string, declared: string): boolean =>
  type === declared || (declared === 'text' && TEXTS.has(type))

const TEXTS = new Set(['character varying', 'character', 'citext'])
