import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type QueryCreator,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely'
import { listQueries } from '../database/read-replica.ts'
import { columnsOf } from '../rows/row-columns.ts'
import { listMark } from '../database/query-marks.ts'
import { type AnyTables, selectListed, tableOf } from '../rows/statements.ts'
import { declaredAt } from '../resource/declared-at.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import type { AnyScope, PolicyContext } from './authorization-types.ts'
import { restrictedFields, type RestrictedFields, type Seen, seenRow } from './field-access.ts'
import { type Listed, narrowing, registeredScope } from './narrowing.ts'
import { registryOf } from './policy-state.ts'
import { seenIds } from './seen-record.ts'

/**
 * The scopes that have variants, by the name of their resource, so that a misspelt variant doesn't compile:
 * `declare module 'pergola' { interface Scopes { Post: typeof postScope } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Scopes {}

type Where<R extends Resource> = (
  ctx: PolicyContext,
  is: ExpressionBuilder<Tables, R['table']>,
) => Expression<SqlBool>

/** Narrower lists, by name. The third parameter contains the values that the caller passes to `visibleTo`. */
type VariantsOf<R extends Resource, Params> = {
  readonly [Name in keyof Params]: (
    ctx: PolicyContext,
    is: ExpressionBuilder<Tables, R['table']>,
    params: Params[Name],
  ) => Expression<SqlBool>
}

/** A declared scope, as `scope()` returns it. */
export interface Scope<R extends Resource = Resource, Params = unknown> {
  readonly resource: R
  /** Returns the SQL condition for this caller. */
  readonly where: Where<R>
  readonly variants: VariantsOf<R, Params>
  /** The declaration, as `file:line`. */
  readonly declaredAt: string
  /** Returns all rows that the caller sees, for tests and small tables. */
  list(ctx: PolicyContext, db: Kysely<Tables>): Promise<RowOf<Seen<R>>[]>
}

interface ScopeParts<R extends Resource, Params> {
  /** Returns the SQL condition for this caller. It must not be async: if it returns a promise, lists are empty. */
  where: Where<R>
  /** Narrower lists by name. Each is joined to `where` with AND, so that it can't show more. */
  variants?: VariantsOf<R, Params>
}

/**
 * Declares the scope of a resource: an SQL condition for the records that a caller sees in lists. `variants` are
 * narrower lists with a name, joined with AND. Without a scope, lists are empty.
 *
 * ```ts
 * export const postScope = scope(Post, {
 *   where: (ctx, is) => is.or([is('published', '=', true), is('author_id', '=', ctx.userId)]),
 *   variants: { mine: (ctx, is) => is('author_id', '=', ctx.userId) },
 * })
 * // posts.visibleTo(ctx, 'mine')
 * ```
 */
export function scope<R extends Resource, Params = unknown>(
  resource: R,
  { where, variants }: ScopeParts<R, Params>,
): Scope<R, Params> {
  const made: Scope<R, Params> = {
    resource,
    where,
    variants: Object.freeze({ ...variants }) as VariantsOf<R, Params>,
    declaredAt: declaredAt(scope),
    async list(ctx, db) {
      const rows = (await scopedBy(made, { ctx, resource }, db).execute()) as RowOf<Seen<R>>[]
      return rows.map((row) => seenRow(ctx, resource, row))
    },
  }
  return Object.freeze(made)
}

type VariantParams<R extends Resource> = R['name'] extends keyof Scopes
  ? Scopes[R['name']] extends Scope<R, infer Params>
    ? Params
    : never
  : never

/** The name of a variant with its parameters, or nothing for the whole scope. */
export type VariantOf<R extends Resource, Params = VariantParams<R>> =
  [] | { [Name in keyof Params]: [name: Name, ...Needed<Params[Name]>] }[keyof Params]

type Needed<P> = unknown extends P ? [] : [params: P]

/**
 * The tables without the columns that are hidden from all callers or from some, so that a query can't select them under
 * an alias either.
 */
type WithoutHidden<R extends Resource> = {
  [T in keyof Tables]: T extends R['table']
    ? Omit<Tables[T], R['hidden'][number] | RestrictedFields<R>>
    : Tables[T]
}

/**
 * Returns a Kysely query over the rows that the caller sees, for statements that repositories don't offer. The scope is
 * a subquery, so that further conditions can only narrow it. Without a registered scope, it returns no rows. It offers
 * no columns with a field rule `see`. It is read from a replica like the lists of `visibleTo`.
 *
 * ```ts
 * const byMonth = await scoped(Post, ctx, 'mine').select(sql`date_trunc('month', created_at)`.as('month')).execute()
 * ```
 */
export function scoped<R extends Resource>(
  resource: R,
  ctx: PolicyContext,
  ...variant: VariantOf<R>
): SelectQueryBuilder<WithoutHidden<R>, R['table'], Omit<RowOf<R>, RestrictedFields<R>>> {
  const unseen = restrictedFields(ctx, resource)
  return scopedBy(registeredScope(resource, ctx), { ctx, resource, variant, unseen }) as never
}

interface View extends Listed {
  /** Columns that the query doesn't offer. */
  unseen?: readonly string[]
}

function scopedBy(scope: AnyScope | undefined, view: View, db?: Kysely<Tables>) {
  const { resource, unseen = [] } = view
  const table = tableOf(resource)
  // Raw SQL can't select a column that the subquery doesn't have.
  const offered = resource.columns.filter((column) => !unseen.includes(column))
  const visible = selectListed(resource, db === undefined ? {} : { db })
    .select(columnsOf(resource, offered, seenIds(view.ctx, resource, db)))
    .where(narrowing(scope, view))
  const isPrimary = registryOf(view.ctx)?.primaryReads?.has(resource) === true
  const queries = db ?? listQueries(isPrimary ? 'primary' : 'replica')
  return (queries as unknown as QueryCreator<AnyTables>)
    .selectFrom(visible.as(table))
    .modifyFront(listMark())
    .selectAll()
}
