import {
  type Expression,
  type ExpressionBuilder,
  isExpression,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely'
import { executor } from '../database/executor.ts'
import { withoutHidden } from '../database/rows.ts'
import { type AnyBuilder, anyTables, selectFrom, tableOf } from '../database/statements.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import { type PolicyContext, rulesOf } from './policy-context.ts'

type Where<R extends Resource> = (
  ctx: PolicyContext,
  is: ExpressionBuilder<Tables, R['table']>,
) => Expression<SqlBool>

export interface Scope<R extends Resource = Resource> {
  readonly resource: R
  readonly where: Where<R>
  /** Every row the caller may see; for tests and small tables, since nothing limits it. */
  list(ctx: PolicyContext, db: Kysely<Tables>): Promise<RowOf<R>[]>
}

/** A scope of whichever resource, for registries. */
export interface AnyScope {
  readonly resource: Resource
  readonly where: (ctx: PolicyContext, is: never) => Expression<SqlBool>
}

/** Which records a list shows: a boolean SQL expression and nothing else. */
export function scope<R extends Resource>(resource: R, { where }: { where: Where<R> }): Scope<R> {
  const made: Scope<R> = {
    resource,
    where,
    list: async (ctx, db) => (await scopedBy(made, ctx, { resource, db }).execute()) as RowOf<R>[],
  }
  return Object.freeze(made)
}

/** The tables, this resource's without its hidden columns: they can't be asked for under another name either. */
type WithoutHidden<R extends Resource> = {
  [T in keyof Tables]: T extends R['table'] ? Omit<Tables[T], R['hidden'][number]> : Tables[T]
}

/**
 * A query over the rows the caller may see, by the scope their application registered; none without one.
 * What is added to it is AND-ed outside: the narrowing is a subquery that nothing can clear.
 */
export function scoped<R extends Resource>(
  resource: R,
  ctx: PolicyContext,
): SelectQueryBuilder<WithoutHidden<R>, R['table'], RowOf<R>> {
  return scopedBy(rulesOf(ctx)?.scopes.get(resource), ctx, { resource }) as never
}

interface From {
  resource: Resource
  db?: Kysely<Tables>
}

function scopedBy(scope: AnyScope | undefined, ctx: PolicyContext, { resource, db = executor() }: From) {
  const table = tableOf(resource)
  const visible = selectFrom(resource, db)
    .selectAll()
    .where((is) => narrowing(scope, ctx, is))
  return anyTables(db).selectFrom(visible.as(table)).selectAll().withPlugin(withoutHidden(resource))
}

/** The scope as one parenthesized expression; `false` without a scope, or when its answer is no expression. */
export function narrowing(
  scope: AnyScope | undefined,
  ctx: PolicyContext,
  is: AnyBuilder,
): Expression<SqlBool> {
  const expression: unknown = scope?.where(ctx, is as never)
  // An async `where` gives a promise, a forgotten return gives undefined: both show nothing.
  if (!isExpression(expression)) return is.lit(false)
  return is.parens(expression as Expression<SqlBool>)
}
