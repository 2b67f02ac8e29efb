import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import { type AnyBuilder, anyTables, trashConditions, tableOf, typedIds } from '../../rows/statements.ts'
import type { Resource } from '../../resource/resource.ts'
import type { ColumnOf, RecordId, TableName } from '../../resource/tables.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { narrowing, registeredScope } from '../../policy/scope.ts'
import { lookup } from '../lookup/lookup.ts'

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
    is.selectFrom(tableOf(parent)).selectAll().where(visibleRows(parent, ctx)(is)),
  )
  // An alias, since a table may refer to itself.
  const match = is.selectFrom(visible.as('visible_parent')).select(is.lit(1).as('one'))
  return is.exists(match.whereRef('visible_parent.id', '=', column as never))
}

/**
 * Returns a function for the rules of a child resource: whether the caller sees the parent of a record, or of a draft, in
 * lists. Concurrent calls share one query, as those of `lookup`. A write asks again in its transaction. Returns false without a
 * parent or a database, and if the parent has no scope.
 *
 * ```ts
 * const seesPost = seesParent(Post, 'post_id')
 * policy(Comment, { canShow: seesPost, canCreate: async (ctx, draft) => ctx.userId !== null && (await seesPost(ctx, draft)) })
 * ```
 */
export function seesParent<const Column extends string>(parent: Resource, column: Column) {
  const sees = lookup(async (db, ids: readonly RecordId[], ctx) => {
    const visible = anyTables(db).selectFrom(tableOf(parent)).select('id').where(visibleRows(parent, ctx))
    const rows = await visible.where('id', 'in', typedIds(parent, ids)).execute()
    return new Map(rows.map(({ id }) => [id as RecordId, true]))
  })
  return async (
    ctx: PolicyContext,
    record: { readonly [Name in Column]?: RecordId | null },
  ): Promise<boolean> => {
    const id: RecordId | null | undefined = record[column]
    return id != null && (await sees(ctx, id)) === true
  }
}

/** Returns the condition for the rows that the caller sees in lists. */
const visibleRows = (resource: Resource, ctx: PolicyContext) => (is: AnyBuilder) =>
  is.and([
    ...trashConditions(resource, 'live'),
    narrowing(registeredScope(resource, ctx), { ctx, resource })(is),
  ])

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
