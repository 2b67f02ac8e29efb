import { type Expression, isExpression, ParensNode, type SqlBool, ValueNode } from 'kysely'
import { enclosed } from '../rows/enclosed.ts'
import { type AnyBuilder, IS } from '../rows/statements.ts'
import { isOfTenant } from '../rows/tenant.ts'
import type { Resource } from '../resource/resource.ts'
import type { AnyScope, PolicyContext } from './authorization-types.ts'
import { registryOf } from './policy-state.ts'

export type Narrowing = (is: AnyBuilder) => Expression<SqlBool>

/** The records that a caller sees in lists, or those of a variant of the scope. */
export interface Listed {
  ctx: PolicyContext
  resource: Resource
  variant?: readonly unknown[]
}

/** Returns the scope that the application registered for the resource. */
export function registeredScope(resource: Resource, ctx: PolicyContext): AnyScope | undefined {
  return registryOf(ctx)?.scopes.get(resource)
}

/** Returns the condition for the records that the caller sees in lists. */
export const visibleTo = (ctx: PolicyContext, resource: Resource): Narrowing =>
  narrowing(registeredScope(resource, ctx), { ctx, resource })

/** Returns whether a condition is `is.lit(true)`, with or without parentheses. */
export function isEverything(visible: Narrowing): boolean {
  const node = visible(IS).toOperationNode()
  const inner = ParensNode.is(node) ? node.node : node
  return ValueNode.is(inner) && inner.immediate === true && inner.value === true
}

/** Returns the condition of the caller's tenant alone. */
export const ofTenant =
  (ctx: PolicyContext, resource: Resource): Narrowing =>
  (is) =>
    resource.tenant === null ? is.lit(true) : isOfTenant(resource, ctx.tenant)

/**
 * Returns the condition of the tenant, the scope and the variant. It is `false` without a scope, for an unknown variant,
 * and if one of the two doesn't return an SQL expression.
 */
export function narrowing(scope: AnyScope | undefined, { ctx, resource, variant = [] }: Listed): Narrowing {
  const [name, ...params] = variant
  if (scope === undefined) registryOf(ctx)?.onMissingScope?.(resource)
  return (is) => {
    const all = parenthesized(is, scope?.where(ctx, is as never))
    if (variant.length === 0 && resource.tenant === null) return all
    return is.and([
      ...(resource.tenant === null ? [] : [isOfTenant(resource, ctx.tenant)]),
      all,
      ...(variant.length === 0 ? [] : [parenthesized(is, variantOf(scope, name)?.(ctx, is, ...params))]),
    ])
  }
}

function variantOf(scope: AnyScope | undefined, name: unknown) {
  const variants = { ...scope?.variants } as Record<string, (...args: unknown[]) => unknown>
  return Object.hasOwn(variants, String(name)) ? variants[String(name)] : undefined
}

// An async `where` returns a promise, a missing `return` undefined: both make the list empty.
const parenthesized = (is: AnyBuilder, condition: unknown): Expression<SqlBool> =>
  isExpression(condition) ? enclosed(condition as Expression<SqlBool>) : is.lit(false)
