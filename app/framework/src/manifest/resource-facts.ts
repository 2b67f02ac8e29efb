import type { DeclaredResource } from '../application/declared-resources.ts'
import type { AnyPolicy } from '../policy/authorization-types.ts'
import { actionsOf } from '../policy/decide.ts'
import { rolesByRule } from './rules.ts'
import type { ResourceEntry } from './schema.ts'

/** Returns the entry of a resource in the manifest: its columns, its policy and its scope. */
export function resourceFacts({ repository: { resource, options } }: DeclaredResource): ResourceEntry {
  const { api = null, policy, scope, updatedBy = [], deletedBy = [], actions = {} } = options
  const rules = policy?.rules ?? {}
  const references = Object.entries(resource.references).map(([column, { name }]) => [column, name] as const)
  return {
    resource: resource.name,
    api,
    input: Object.keys(resource.input.shape).toSorted(),
    shown: resource.columns.toSorted(),
    hidden: resource.hidden.toSorted(),
    immutable: resource.immutable.toSorted(),
    owner: resource.owner,
    tenant: resource.tenant,
    references: Object.fromEntries(references),
    updated_by: [...updatedBy, ...Object.keys(actions)].toSorted(),
    deleted_by: deletedBy.toSorted(),
    has_policy: policy !== undefined,
    actions: policy === undefined ? [] : actionsOf(policy),
    before: 'before' in rules,
    can_become: 'canBecome' in rules,
    forbidden_response: policy?.forbiddenResponse ?? null,
    roles: rolesIn(rules),
    fields: policy === undefined ? null : fieldFacts(policy),
    scope:
      scope === undefined
        ? null
        : {
            variants: Object.keys(scope.variants).toSorted(),
            roles: rolesIn({ where: scope.where, ...scope.variants }),
          },
  }
}

/** Returns the rules of single fields, as `salary.see`. Null without such rules. */
function fieldFacts({ fields }: AnyPolicy): ResourceEntry['fields'] {
  const all = Object.entries(fields?.rules ?? {}).flatMap(([field, { see, set }]) => [
    ...(see === undefined ? [] : [[`${field}.see`, see] as const]),
    ...(set === undefined ? [] : [[`${field}.set`, set] as const]),
  ])
  const rules = Object.fromEntries(all)
  return all.length === 0 ? null : { rules: Object.keys(rules).toSorted(), roles: rolesIn(rules) }
}

const rolesIn = (rules: Parameters<typeof rolesByRule>[0]) => ({
  provenance: 'declared' as const,
  by_rule: rolesByRule(rules),
})
