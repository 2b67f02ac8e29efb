import type { Request } from 'express'
import { authorizationOf } from '../policy/policy-state.ts'
import { contextOf } from '../policy/policy-context.ts'
import type { AnyPolicy, Session } from '../policy/authorization-types.ts'
import { database } from '../database/executor.ts'
import type { AnyRepository } from '../repository/repository.ts'
import { actionsOf } from '../policy/decide.ts'
import { explain, type Explanation, isListed, recordOf } from './explain.ts'
import { rolesByRule } from './rules.ts'

/** The explanation of the decision for one actor and one action. */
export interface Answer extends Pick<Explanation, 'allowed' | 'cause' | 'rules'> {
  readonly action: string
}

/** The decisions for one actor. */
export interface MatrixRow {
  readonly actor: string
  readonly answers: readonly Answer[]
  /** Whether the scope lists the record. */
  readonly isListed: boolean
}

/**
 * Returns the policy's decisions on the record with this id, with the answers of its rules and lookups: for a guest, a
 * signed-in user without roles, the owner of the record, and each role that the rules mention. Returns null if the
 * record doesn't exist. For each of these actors and each action, costs the queries of `explain`.
 */
export async function decisionMatrix(
  req: Request,
  repository: AnyRepository,
  id: string,
): Promise<MatrixRow[] | null> {
  const record = await recordOf(repository, id)
  if (record === null) return null
  const { registry } = authorizationOf(req.app)
  const policy = registry.policies.get(repository.resource)
  const rows: MatrixRow[] = []
  // Sequential, because rules may send queries, and other requests need the connections of the pool.
  for (const [actor, session] of actorsOf(repository, policy, record)) {
    const ctx = contextOf(session, { registry, db: database })
    const answers: Answer[] = []
    for (const action of policy === undefined ? [] : actionsOf(policy)) {
      const asked = { action, id: action === 'create' ? null : id }
      const { allowed, cause, rules } = await explain(repository, ctx, asked)
      answers.push({ action, allowed, cause, rules })
    }
    rows.push({ actor, answers, isListed: await isListed(repository, ctx, id) })
  }
  return rows
}

/** An id that no user has, so that rules find no related rows. */
const STRANGER = Number.MAX_SAFE_INTEGER

type Actor = readonly [name: string, session: Session | null]

function actorsOf(
  { resource, options: { scope } }: AnyRepository,
  policy: AnyPolicy | undefined,
  record: object,
): Actor[] {
  const owner: unknown = resource.owner === null ? null : (record as Record<string, unknown>)[resource.owner]
  const rules = { ...policy?.rules, ...(scope && { where: scope.where, ...scope.variants }) }
  const roles = new Set(Object.values(rolesByRule(rules)).flat())
  return [
    ['a guest', null],
    ['a signed-in user', sessionOf(STRANGER)],
    ...(typeof owner === 'number' ? [['its owner', sessionOf(owner)] as const] : []),
    ...[...roles].toSorted().map((role) => [`the role ${role}`, sessionOf(STRANGER, [role])] as const),
  ]
}

const sessionOf = (userId: number, roles: string[] = []): Session => ({
  id: 'asked',
  userId,
  name: '',
  roles,
})
