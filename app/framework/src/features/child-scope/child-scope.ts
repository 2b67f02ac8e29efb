import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely'
import { readingReplica } from '../../database/read-replica.ts'
import { listSource } from '../../lists/list-source.ts'
import { rowColumns } from '../../rows/row-columns.ts'
import { type AnyBuilder, selectListed, tableOf, trashConditions, typedIds } from '../../rows/statements.ts'
import type { Resource } from '../../resource/resource.ts'
import type { ColumnOf, RecordId, TableName } from '../../resource/tables.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { decide } from '../../policy/decide.ts'
import { policiesOf } from '../../policy/decisions.ts'
import { registryOf } from '../../policy/policy-state.ts'
import type { VerbOf } from '../../policy/policy.ts'
import { visibleTo } from '../../policy/narrowing.ts'
import { declaredAt } from '../../resource/declared-at.ts'
import { weakMemoize } from '../../resource/memoize.ts'
import { lookupAt } from '../lookup/lookup.ts'

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
      .where(is.and([...trashConditions(parent, 'live'), visibleTo(ctx, parent)(is)])),
  )
  // An alias, since a table may refer to itself.
  const match = is.selectFrom(visible.as('visible_parent')).select(is.lit(1).as('one'))
  return is.exists(match.whereRef('visible_parent.id', '=', column as never))
}

/**
 * Returns how many records of a child resource refer to each of these parents, for lists of parents. Only records that the
 * caller sees in lists count. A parent without any is left out. Costs one query, or none without ids.
 *
 * ```ts
 * const comments = await childCounts(ctx, Comment, { post_id: page.content.map((post) => post.id) })
 * ```
 */
export async function childCounts<Child extends Resource, Id extends RecordId>(
  ctx: PolicyContext,
  child: Child,
  parents: { readonly [Column in ColumnOf<Child['table']>]?: readonly Id[] },
): Promise<Map<Id, number>> {
  const [[column, ids] = ['', []]] = Object.entries(parents) as [string, readonly Id[]][]
  const parent = child.references[column]
  if (parent === undefined)
    throw new Error(`${child.name} has no reference ${column}. Declare it in its references.`)
  if (ids.length === 0) return new Map()
  const rows = await readingReplica('replica', () =>
    listSource(child, visibleTo(ctx, child))
      .narrowed({})
      .select([sql<Id>`${sql.ref(column)}`.as('id'), sql<number>`count(*)::int`.as('count')])
      // One parameter for all ids, so that the text of the statement doesn't depend on their number.
      .where(sql<boolean>`${sql.ref(column)} = any(${ids}::${sql.raw(parent.idKind)}[])`)
      .groupBy(sql.ref(column))
      .execute(),
  )
  return new Map(rows.map(({ id, count }) => [id as Id, count]))
}

/**
 * Returns a function for the rules of a child resource: whether the parent's policy allows the caller an action on the parent
 * of a record, or of a draft. Concurrent calls share one query, as those of `lookup`, and a write asks again in its
 * transaction. Returns false without a parent or a database, and for a parent in the trash.
 *
 * ```ts
 * const mayWrite = parentAllows('update', Invoice, 'invoice_id')
 * policy(InvoiceLine, { canShow: parentAllows('show', Invoice, 'invoice_id'), canCreate: mayWrite, canUpdate: mayWrite })
 * ```
 */
export function parentAllows<R extends Resource, const Column extends string>(
  action: Exclude<VerbOf<R>, 'create'>,
  parent: R,
  column: Column,
) {
  const allows = lookupAt(declaredAt(parentAllows), async (_db, ids: readonly RecordId[], ctx) => {
    const rows = await Promise.all(ids.map((id) => parentRow(parent)(ctx, id)))
    const answers = rows
      .filter((row) => row !== undefined)
      .map(async (record) => {
        const question = { action, resource: parent, record }
        const { allowed, error } = await decide(policiesOf(ctx), ctx, question, registryOf(ctx)?.ruleDeadline)
        // The rule of the child fails with that of the parent, so that the error is logged, and a write runs again.
        if (error !== undefined) throw error
        return [record['id'] as RecordId, allowed] as const
      })
    return new Map(await Promise.all(answers))
  })
  return async (
    ctx: PolicyContext,
    record: { readonly [Name in Column]?: RecordId | null },
  ): Promise<boolean> => {
    const id: RecordId | null | undefined = record[column]
    return id != null && (await allows(ctx, id)) === true
  }
}

/** Reads the rows of a parent. All rules that ask about it share them. */
const parentRow = weakMemoize((parent: Resource) =>
  lookupAt(null, async (db, ids: readonly RecordId[]) => {
    const visible = selectListed(parent, { db }).select(rowColumns(parent))
    const rows = await visible.where('id', 'in', typedIds(parent, ids)).execute()
    return new Map(rows.map((row) => [row['id'] as RecordId, row as Record<string, unknown>]))
  }),
)

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
