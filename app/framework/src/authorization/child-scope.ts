import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { AnyBuilder } from '../database/statements.ts'
import { areThere, tableOf } from '../database/statements.ts'
import type { Resource } from '../resource/resource.ts'
import type { ColumnOf, TableName } from '../resource/tables.ts'
import type { PolicyContext } from './policy-context.ts'
import { narrowing, registeredScope } from './scope.ts'

type QualifiedColumn = { [T in TableName]: `${T}.${ColumnOf<T>}` }[TableName]

/**
 * Returns an SQL condition for the scope of a child: whether the caller sees the parent row in lists. It becomes a
 * subquery of the list's own statement. False for every row if the parent has no scope.
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
  const visible = asking(parent, () =>
    is
      .selectFrom(tableOf(parent))
      .selectAll()
      .where(
        is.and([
          ...areThere(parent, 'live'),
          narrowing(registeredScope(parent, ctx), { ctx, resource: parent })(is),
        ]),
      ),
  )
  // Under a name of its own, for a table may refer to itself.
  const found = is.selectFrom(visible.as('visible_parent')).select(is.lit(1).as('one'))
  return is.exists(found.whereRef('visible_parent.id', '=', column as never))
}

const asked = new Set<Resource>()

/** A scope that leads back to itself would be written down for ever. Scopes are built in one go, so one set is enough. */
function asking<Query>(parent: Resource, build: () => Query): Query {
  if (asked.has(parent)) throw new Error(`The scope of ${parent.name} asks for itself. Let it end somewhere.`)
  asked.add(parent)
  try {
    return build()
  } finally {
    asked.delete(parent)
  }
}
