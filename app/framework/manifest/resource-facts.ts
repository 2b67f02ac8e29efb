import type { DeclaredResource } from '../repository/declared-resources.ts'
import { actionsOf, rolesByRule, variantsOf } from './rules.ts'
import { type ResourceEntry, sortedBy } from './schema.ts'

/** What a resource's policy and scope say about themselves. */
export function resourceFacts({ repository }: DeclaredResource): ResourceEntry {
  const { api = null, policy, scope } = repository.options
  const rules = policy?.rules ?? {}
  return {
    resource: repository.resource.name,
    api,
    has_policy: policy !== undefined,
    actions: policy === undefined ? [] : actionsOf(policy),
    before: 'before' in rules,
    can_become: 'canBecome' in rules,
    forbidden_response: policy?.forbiddenResponse ?? null,
    roles: { provenance: 'declared', by_rule: rolesByRule(rules) },
    scope: scope === undefined ? null : scopeFacts(scope),
  }
}

function scopeFacts(scope: NonNullable<DeclaredResource['repository']['options']['scope']>) {
  const variants = variantsOf(scope)
  return {
    variants: sortedBy(Object.keys(variants), (name) => name),
    roles: { provenance: 'declared' as const, by_rule: rolesByRule({ where: scope.where, ...variants }) },
  }
}
