import type { Request } from 'express'
import { blankDraft } from '../authorization/decisions.ts'
import { type Decision, decide } from '../authorization/decide.ts'
import { authorizationOf, contextOf } from '../authorization/policy-context.ts'
import type { Registry, Session } from '../authorization/authorization-types.ts'
import { database } from '../database/executor.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Resource } from '../resource/resource.ts'
import { actionsOf } from '../authorization/policy.ts'
import { rolesByRule, variantsOf } from './rules.ts'

export interface Actor {
  readonly name: string
  readonly session: Session | null
}

/** The decision for one actor and one action. `why` is the reason passed to `deny`, or else the code of the decision. */
export interface Answer {
  readonly action: string
  readonly allowed: boolean
  readonly why: string
}

/** The decisions for one actor. */
export interface MatrixRow {
  readonly actor: string
  readonly answers: readonly Answer[]
}

/**
 * Returns the policy's decisions on one record: for a guest, a signed-in user without roles, the owner of the record,
 * and each role that the rules mention. Costs the queries of the rules for each of these actors.
 */
export async function decisionMatrix(
  req: Request,
  { resource, options }: AnyRepository,
  row: object,
): Promise<MatrixRow[]> {
  const { registry } = authorizationOf(req.app)
  const policy = registry.policies.get(resource)
  const actions = policy === undefined ? [] : actionsOf(policy)
  const rules = { ...policy?.rules, ...(options.scope && variantsOf(options.scope)) }
  const rows: MatrixRow[] = []
  // Sequential, because rules may send queries, and other requests need the connections of the pool.
  for (const { name, session } of actorsOf(resource, row, Object.values(rolesByRule(rules)).flat())) {
    const ask = asking(session, { registry, resource, row })
    const answers: Answer[] = []
    for (const action of actions) answers.push(await ask(action))
    rows.push({ actor: name, answers })
  }
  return rows
}

/** An id that no user has, so that rules find no related rows. */
const STRANGER = Number.MAX_SAFE_INTEGER

function actorsOf({ owner }: Resource, row: object, roles: readonly string[]): Actor[] {
  const ownerId: unknown = owner === null ? null : (row as Record<string, unknown>)[owner]
  return [
    { name: 'a guest', session: null },
    { name: 'a signed-in user', session: sessionOf(STRANGER) },
    ...(typeof ownerId === 'number' ? [{ name: 'its owner', session: sessionOf(ownerId) }] : []),
    ...[...new Set(roles)].toSorted().map((role) => ({
      name: `the role ${role}`,
      session: sessionOf(STRANGER, [role]),
    })),
  ]
}

const sessionOf = (userId: number, roles: string[] = []): Session => ({
  id: 'asked',
  userId,
  name: '',
  roles,
})

interface About {
  registry: Registry
  resource: Resource
  row: object
}

function asking(session: Session | null, { registry, resource, row }: About) {
  const ctx = contextOf(session, { registry, db: database })
  return async (action: string): Promise<Answer> => {
    const record = action === 'create' ? blankDraft(resource, ctx) : row
    const decision = await decide(registry.policies, ctx, { action, resource, record })
    return { action, allowed: decision.allowed, why: whyOf(decision) }
  }
}

const whyOf = ({ cause, denial }: Decision): string => denial?.reason ?? cause
