import type { Request } from 'express'
import type { Resource, RowOf } from '../resource/resource.ts'
import { blankDraft, isAllowed } from './ask.ts'
import type { VerbOf } from './policy.ts'
import { policyContext } from './policy-context.ts'

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
  const allowed = new Map<object, Set<string>>()
  const ask = async (row: object, action: string) => {
    if (!(await isAllowed(req, ctx, { action, resource, record: row }))) return
    allowed.set(row, (allowed.get(row) ?? new Set()).add(action))
  }
  // All at the same moment, so that what their rules look up is one query.
  await Promise.all(rows.flatMap((row) => actions.map((action) => ask(row, action))))
  return (row, action) => allowed.get(row)?.has(action) ?? false
}

/** Whether the caller may begin a new record; what `authorize('create', …)` asks about the blank draft. */
export async function mayCreate(req: Request, resource: Resource): Promise<boolean> {
  const ctx = await policyContext(req)
  return isAllowed(req, ctx, { action: 'create', resource, record: blankDraft(resource, ctx) })
}
