import type { Request } from 'express'
import type { Resource } from '../resource/resource.ts'
import { immutableColumns } from '../resource/upkeep.ts'
import { toDenied } from './answer.ts'
import { decideBecome } from './decide.ts'
import { policyContext } from './policy-context.ts'
import { authorizationOf } from './registry.ts'

interface Update {
  resource: Resource
  before: object
  changes: object
}

/** Asks `canBecome`, where the policy has one; throws `Denied`. Without one, nothing that is immutable may change. */
export async function askBecome(req: Request, { resource, before, changes }: Update): Promise<void> {
  const ctx = await policyContext(req)
  const started = performance.now()
  const after = Object.freeze({ ...before, ...changes })
  const { policies } = authorizationOf(req).registry
  const decision = await decideBecome(policies, ctx, { resource, before, after })
  if (decision === null) return refuseImmutable(resource, changes)
  if (decision.allowed) return
  const ms = performance.now() - started
  throw await toDenied(req, ctx, { action: 'become', resource, record: before, decision, ms })
}

function refuseImmutable(resource: Resource, changes: object): void {
  const immutable = immutableColumns(resource)
  const column = Object.keys(changes).find((name) => immutable.includes(name))
  if (column === undefined) return
  throw new Error(
    `${resource.name}.${column} is immutable. An update may change it only where the policy's canBecome says yes.`,
  )
}
