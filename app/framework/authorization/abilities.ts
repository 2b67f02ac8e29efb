import type { Request } from 'express'
import type { Resource, RowOf } from '../resource/resource.ts'
import { decide } from './decide.ts'
import type { VerbOf } from './policy.ts'
import { policyContext } from './policy-context.ts'
import { authorizationOf } from './registry.ts'

/** Whether the caller may do this to this row; false for anything that was not prepared. */
export type May = (row: object, action: string) => boolean

/**
 * Prepares the policy's answers about the rows of a page, so that its view can ask synchronously: `it.may(post, 'update')`.
 * An unprepared question is answered with no: a button too few, never one too many.
 */
export async function abilities<R extends Resource>(
  req: Request,
  resource: R,
  rows: readonly RowOf<R>[],
  actions: readonly Exclude<VerbOf<R>, 'create'>[],
): Promise<May> {
  const ctx = await policyContext(req)
  const { policies } = authorizationOf(req).registry
  const allowed = new Map<object, Set<string>>()
  await Promise.all(
    rows.map(async (row) => {
      const answers = await Promise.all(
        actions.map((action) => decide(policies, ctx, { action, resource, record: row })),
      )
      allowed.set(row, new Set(actions.filter((_, index) => answers[index]?.allowed)))
    }),
  )
  return (row, action) => allowed.get(row)?.has(action) ?? false
}

/** Whether the caller may begin a new record; what `authorize('create', …)` asks about the blank draft. */
export async function mayCreate(req: Request, resource: Resource): Promise<boolean> {
  const ctx = await policyContext(req)
  const record = resource.owner === null || ctx.userId === null ? {} : { [resource.owner]: ctx.userId }
  return (await decide(authorizationOf(req).registry.policies, ctx, { action: 'create', resource, record }))
    .allowed
}
