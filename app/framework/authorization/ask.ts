import type { Request } from 'express'
import { originOf } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import { decide } from './decide.ts'
import { denial } from './denial.ts'
import { policyContext } from './policy-context.ts'
import { prove } from './proof.ts'
import { authorizationOf } from './registry.ts'

interface Asked {
  action: string
  resource: Resource
}

/** Asks the policy about a loaded row and keeps the proof of its yes; throws `Denied`. */
export async function askAboutRow(req: Request, { action, resource }: Asked, row: object): Promise<void> {
  const origin = originOf(resource, row)
  if (origin === undefined) throw new Error(`This ${resource.name} is a copy. Pass the row that was loaded.`)
  const ask = (record: object) => demand(req, { action, resource }, record)
  await ask(row)
  prove(row, { resource, action, id: origin.id, version: origin.version, askAgain: ask })
}

/** Asks `canCreate` about the values that would be stored, the owner filled in; returns them, frozen and proven. */
export async function askAboutDraft(req: Request, resource: Resource, values: object): Promise<object> {
  const { userId } = await policyContext(req)
  const owner = resource.owner !== null && userId !== null ? { [resource.owner]: userId } : {}
  const draft = Object.freeze({ ...values, ...owner })
  const asked = { action: 'create', resource }
  await demand(req, asked, draft)
  prove(draft, { ...asked, id: null, version: null, askAgain: (record) => demand(req, asked, record) })
  return draft
}

async function demand(req: Request, { action, resource }: Asked, record: object): Promise<void> {
  const authorization = authorizationOf(req)
  const ctx = await policyContext(req)
  const decision = await decide(authorization.registry.policies, ctx, { action, resource, record })
  if (decision.allowed) return
  authorization.report({
    actor: ctx.userId,
    action,
    resource: resource.name,
    id: originOf(resource, record)?.id ?? null,
    cause: decision.cause,
    ...(decision.error !== undefined && { error: decision.error }),
  })
  throw await denial(authorization, { ctx, action, resource, record })
}
