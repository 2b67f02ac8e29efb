import type { Request } from 'express'
import type { Resource, RowOf } from '../resource/resource.ts'
import { blankDraft, isAllowed } from './ask.ts'
import type { VerbOf } from './policy.ts'
import { policyContext } from './policy-context.ts'

/** Returns whether the caller may perform the action on the row. Made by `abilities`. */
export type May = (row: object, action: string) => boolean

/**
 * Asks the policy about each row and each action, and returns a function for the view: `it.may(post, 'update')`.
 * That function returns false for a row or an action that was not listed here.
 *
 * Costs no query unless the rules need one. All rules are asked at the same time, so that each `lookup` sends one
 * query for the whole page.
 *
 * ```ts
 * const may = await abilities(req, Post, page.content, ['update', 'delete'])
 * await render(res, 'posts/index', { page, may })
 * ```
 */
export async function abilities<R extends Resource>(
  req: Request,
  resource: R,
  rows: readonly RowOf<R>[],
  actions: readonly Exclude<VerbOf<R>, 'create'>[],
): Promise<May> {
  const ctx = await policyContext(req)
  const allowed = new Map<object, Set<string>>()
  const ask = async (row: object, action: string) => {
    if (!(await isAllowed(req, ctx, { action, resource, record: row }))) return
    allowed.set(row, (allowed.get(row) ?? new Set()).add(action))
  }
  // All at the same moment, so that what their rules look up is one query.
  await Promise.all(rows.flatMap((row) => actions.map((action) => ask(row, action))))
  return (row, action) => allowed.get(row)?.has(action) ?? false
}

/**
 * Returns whether the caller may create a record, for the button that opens the form. Asks the same question as
 * `authorize('create', …)`: about a draft that only has an owner.
 */
export async function mayCreate(req: Request, resource: Resource): Promise<boolean> {
  const ctx = await policyContext(req)
  return isAllowed(req, ctx, { action: 'create', resource, record: blankDraft(resource, ctx) })
}
