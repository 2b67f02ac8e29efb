import type { Request } from 'express'
import { authorizationOf, contextOf } from '../policy/policy-context.ts'
import type { Session } from '../policy/authorization-types.ts'
import { database } from '../database/executor.ts'
import type { AnyRepository, Repository } from '../repository/repository.ts'
import type { Resource } from '../resource/resource.ts'
import { actionsOf } from '../policy/declared-policies.ts'
import { explain, type Explanation, isListed } from './explain.ts'
import { rolesByRule } from './rules.ts'

export interface Actor {
  readonly name: string
  readonly session: Session | null
}

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
  const { resource, options } = repository
  // The repository reads ids as text, whatever their type.
  const key = id as never
  const row = await (repository as Repository).asSystem('explain').find(key)
  if (row === null) return null
  const { registry } = authorizationOf(req.app)
  const policy = registry.policies.get(resource)
  const actions = policy === undefined ? [] : actionsOf(policy)
  const { scope } = options
  const rules = { ...policy?.rules, ...(scope && { where: scope.where, ...scope.variants }) }
  const rows: MatrixRow[] = []
  // Sequential, because rules may send queries, and other requests need the connections of the pool.
  for (const { name, session } of actorsOf(resource, row, Object.values(rolesByRule(rules)).flat())) {
    const ctx = contextOf(session, { registry, db: database })
    const answers: Answer[] = []
    for (const action of actions) {
      const { allowed, cause, rules } = await explain(repository, ctx, {
        action,
        id: action === 'create' ? null : id,
      })
      answers.push({ action, allowed, cause, rules })
    }
    rows.push({ actor: name, answers, isListed: await isListed(repository, ctx, id) })
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
