import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import { type AnyBuilder, trashConditions, tableOf } from '../../rows/statements.ts'
import type { Resource } from '../../resource/resource.ts'
import type { ColumnOf, TableName } from '../../resource/tables.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { narrowing, registeredScope } from '../../policy/scope.ts'

type QualifiedColumn = { [T in TableName]: `${T}.${ColumnOf<T>}` }[TableName]

/**
 * Returns an SQL condition for the scope of a child resource, which is true if the caller sees the parent row in lists.
 * It is a subquery of the list's statement. It is false for every row if the parent has no scope.
 *
 * ```ts
 * scope(Comment, { where: (ctx) => hasVisible(ctx, Post, 'comments.post_id') })
 * ```
 */
export function hasVisible(
  ctx: PolicyContext,
  parent: Resource,
  column: QualifiedColumn,
): Expression<SqlBool> {
  const is: AnyBuilder = expressionBuilder()
  const visible = withoutCycle(parent, () =>
    is
      .selectFrom(tableOf(parent))
      .selectAll()
      .where(
        is.and([
          ...trashConditions(parent, 'live'),
          narrowing(registeredScope(parent, ctx), { ctx, resource: parent })(is),
        ]),
      ),
  )
  // An alias, since a table may refer to itself.
  const match = is.selectFrom(visible.as('visible_parent')).select(is.lit(1).as('one'))
  return is.exists(match.whereRef('visible_parent.id', '=', column as never))
}

const open = new Set<Resource>()

/** Throws if the scope of a parent includes itself, because `build` would then never return. `build` is synchronous. */
function withoutCycle<Query>(parent: Resource, build: () => Query): Query {
  if (open.has(parent))
    throw new Error(`The scope of ${parent.name} includes itself. Remove one hasVisible from the cycle.`)
  open.add(parent)
  try {
    return build()
  } finally {
    open.delete(parent)
  }
}
