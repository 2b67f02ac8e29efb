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
import { declaredAt } from '../resource/declared-at.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import { type PolicyContext, rulesOf } from './policy-context.ts'

type Where<R extends Resource> = (
  ctx: PolicyContext,
  is: ExpressionBuilder<Tables, R['table']>,
) => Expression<SqlBool>

/** A named variant of a scope; what it needs to know is its third parameter. */
type Variant<R extends Resource> = (
  ctx: PolicyContext,
  is: ExpressionBuilder<Tables, R['table']>,
  params: never,
) => Expression<SqlBool>

export interface Scope<R extends Resource = Resource, Variants = unknown> {
  readonly resource: R
  readonly where: Where<R>
  readonly variants: Variants
  /** Where it is declared, as `file:line`. */
  readonly declaredAt: string
  /** Every row the caller may see; for tests and small tables, since nothing limits it. */
  list(ctx: PolicyContext, db: Kysely<Tables>): Promise<RowOf<R>[]>
}

/** A scope of whichever resource, for registries. */
export interface AnyScope {
  readonly resource: Resource
  readonly variants: unknown
  readonly declaredAt: string
  readonly where: (ctx: PolicyContext, is: never) => Expression<SqlBool>
}

interface ScopeParts<R extends Resource, Variants> {
  where: Where<R>
  /** Narrower lists by name: `scoped(Post, ctx, 'mine')`. Each is AND-ed to `where`, and so can't show more. */
  variants?: Variants
}

/** Which records a list shows: a boolean SQL expression and nothing else. */
export function scope<R extends Resource, Variants extends Record<string, Variant<R>> = Record<never, never>>(
  resource: R,
  { where, variants }: ScopeParts<R, Variants>,
): Scope<R, Variants> {
  const made: Scope<R, Variants> = {
    resource,
    where,
    variants: Object.freeze({ ...variants }) as Variants,
    declaredAt: declaredAt(scope),
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
