import type { Request } from 'express'
import type { Guard } from '../http/routes/route-types.ts'
import type { Resource } from '../resource/resource.ts'
import { type LoadGuard, pathId } from './load.ts'

/** The columns of a draft, and the path parameters that determine them: `{ post_id: 'post' }`. */
export type Below = Readonly<Record<string, string>>

/** Returns the values of these columns: `{ post_id: 7 }` for a comment below `/posts/7`. */
export const parentsInPath = (req: Request, below: Below): object =>
  Object.fromEntries(Object.entries(below).map(([column, param]) => [column, pathId(req, param)]))

/** Throws unless a `load` precedes for each parent, so that a missing one is a 404 before the policy decides. */
export function checkParents(
  before: readonly Guard[],
  { action, resource, below }: { action: string; resource: Resource; below: Below },
): void {
  const guard = `authorize('${action}', ${resource.name})`
  if (action !== 'create' && Object.keys(below).length > 0)
    throw new Error(`${guard} has 'below', which is for 'create'. Pass it to load(${resource.name}).`)
  for (const [column, param] of Object.entries(below)) {
    if (before.some((guard) => guard.kind === 'load' && (guard as LoadGuard).param === param)) continue
    throw new Error(
      `${guard} needs ':${param}' for ${column}. Put a load with { param: '${param}' } before it.`,
    )
  }
}
