import type { AnyPolicy, PolicyContext } from '../policy/authorization-types.ts'
import { decide, outcomeOf, RULE_DEADLINE, ruleKey } from '../policy/decide.ts'
import { blankDraft } from '../policy/decisions.ts'
import { Denial } from '../policy/denial.ts'
import { type LookupAnswer, registryOf, contextState } from '../policy/policy-state.ts'
import { within } from '../database/executor.ts'
import type { AnyBuilder } from '../rows/statements.ts'
import { withAllTenants } from '../rows/tenant.ts'
import type { AnyRepository, Repository } from '../repository/repository.ts'
import type { RecordId } from '../resource/tables.ts'

/** The answer of a rule, as text: `true`, `false (locked)`, `no rule`, `no answer: timeout`. */
interface RuleAnswer {
  readonly rule: string
  readonly answer: string
  /** The answers of lookups and scopes that the rule used. */
  readonly lookups: readonly LookupAnswer[]
}

/** Why a policy allows or denies an action on a record. */
export interface Explanation {
  /** Whether the record exists for the caller. False for a record in the trash, and for one of another tenant. */
  readonly exists: boolean
  /** The tenant of a record of another tenant than the caller's. Null for other records. */
  readonly otherTenant: RecordId | null
  readonly allowed: boolean
  /** The cause of the decision: `allowed`, `denied`, `no_policy`, `missing`, `other_tenant`, … */
  readonly cause: string
  readonly rules: readonly RuleAnswer[]
  /** Whether the scope lists the record; null for `create`. */
  readonly isListed: boolean | null
  /** The declarations of the policy and of the scope, as `file:line`; null without one. */
  readonly declaredAt: { readonly policy: string | null; readonly scope: string | null }
}

/**
 * Returns why the caller's policy allows or denies an action on the record with this id. Calls each rule on its own, and
 * sends the queries of the rules, one for the record and one for the scope. Pass a null id for `create`. Each call of a
 * rule ends after the registry's `ruleDeadline`.
 */
export async function explain(
  repository: AnyRepository,
  ctx: PolicyContext,
  { action, id }: { action: string; id: string | null },
): Promise<Explanation> {
  const { resource } = repository
  const { policies = new Map(), scopes, ruleDeadline } = registryOf(ctx) ?? {}
  const policy = policies.get(resource)
  const declaredAt = {
    policy: policy?.declaredAt ?? null,
    scope: scopes?.get(resource)?.declaredAt ?? null,
  }
  const record =
    id === null
      ? blankDraft(resource, ctx)
      : await within({ tenant: ctx.tenant }, () => recordOf(repository, id))
  if (record === null) {
    const otherTenant = await tenantOf(repository, id)
    const cause = otherTenant === null ? 'missing' : ctx.tenant === null ? 'no_tenant' : 'other_tenant'
    return { exists: false, otherTenant, allowed: false, cause, rules: [], isListed: false, declaredAt }
  }
  const rules: RuleAnswer[] = []
  for (const key of [...(policy?.rules['before'] ? ['before'] : []), ruleKey(action) ?? action])
    rules.push(await answerOf(ctx, key, policy?.rules[key], key === 'before' ? [action, record] : [record]))
  const { allowed, cause } = await decide(policies, ctx, { action, resource, record }, ruleDeadline)
  const listed = id === null ? null : await isListed(repository, ctx, id)
  return { exists: true, otherTenant: null, allowed, cause, rules, isListed: listed, declaredAt }
}

/** Returns the record with this id, without asking the policy. Null if it doesn't exist. */
export function recordOf(repository: AnyRepository, id: string): Promise<object | null> {
  // The repository reads ids as text, whatever their type.
  const key = id as never
  return (repository as Repository).asSystem('explain').find(key)
}

/** Returns the tenant of a record of any tenant. Null if it doesn't exist, and if the resource has no tenant. */
async function tenantOf(repository: AnyRepository, id: string | null): Promise<RecordId | null> {
  const { tenant } = repository.resource
  if (tenant === null || id === null) return null
  const record = (await withAllTenants(() => recordOf(repository, id))) as Readonly<
    Record<string, RecordId>
  > | null
  return record?.[tenant] ?? null
}

/** Returns whether the scope lists the record for this caller. */
export async function isListed(repository: AnyRepository, ctx: PolicyContext, id: string): Promise<boolean> {
  const where = { where: (is: AnyBuilder) => is('id', '=', id) }
  return (await (repository as Repository).visibleTo(ctx).count(where as never)) > 0
}

async function answerOf(
  ctx: PolicyContext,
  key: string,
  rule: AnyPolicy['rules'][string] | undefined,
  values: readonly unknown[],
): Promise<RuleAnswer> {
  const lookups: LookupAnswer[] = []
  if (rule === undefined) return { rule: key, answer: 'no rule', lookups }
  contextState(ctx).lookupTrace = lookups
  try {
    const pending = Promise.resolve(rule(ctx, ...(values as never[])))
    const outcome = await outcomeOf(pending, ctx.signal, registryOf(ctx)?.ruleDeadline ?? RULE_DEADLINE)
    const answer = 'cause' in outcome ? `no answer: ${outcome.cause}` : textOf(outcome.answer)
    return { rule: key, answer, lookups }
  } catch (error) {
    return { rule: key, answer: `threw: ${error instanceof Error ? error.message : String(error)}`, lookups }
  } finally {
    delete contextState(ctx).lookupTrace
  }
}

function textOf(answer: unknown): string {
  if (answer instanceof Denial) return `false (${answer.reason})`
  return typeof answer === 'boolean' || answer === undefined ? String(answer) : `${typeof answer}: denies`
}
