import type { WritingVerbs } from '../writes/authorized-writes.ts'
import type { DeclaredResource } from '../application/declared-resources.ts'
import type { Resource } from '../resource/resource.ts'
import type { AnyPolicy, AnyScope } from '../policy/authorization-types.ts'
import { actionsOf } from '../policy/declared-policies.ts'
import { rolesByRule } from './rules.ts'
import { type ResourceEntry, sortedBy } from './schema.ts'

type AnyRepository = DeclaredResource['repository']

/** Returns the entry of a resource in the manifest: its columns, its policy and its scope. */
export function resourceFacts({ repository }: DeclaredResource): ResourceEntry {
  const { api = null, policy, scope } = repository.options
  const rules = policy?.rules ?? {}
  return {
    resource: repository.resource.name,
    api,
    ...columnFacts(repository.resource),
    ...verbFacts(repository.options),
    has_policy: policy !== undefined,
    actions: policy === undefined ? [] : actionsOf(policy),
    before: 'before' in rules,
    can_become: 'canBecome' in rules,
    forbidden_response: policy?.forbiddenResponse ?? null,
    roles: rolesIn(rules),
    fields: policy === undefined ? null : fieldFacts(policy),
    scope: scope === undefined ? null : scopeFacts(scope),
  }
}

type Rules = Parameters<typeof rolesByRule>[0]

const rolesIn = (rules: Rules) => ({ provenance: 'declared' as const, by_rule: rolesByRule(rules) })

/** Returns the rules of single fields, as `salary.see`. Null without such rules. */
function fieldFacts({ fields }: AnyPolicy) {
  const rules = Object.entries(fields).flatMap(([field, { see, set }]) => [
    ...(see === undefined ? [] : [[`${field}.see`, see] as const]),
    ...(set === undefined ? [] : [[`${field}.set`, set] as const]),
  ])
  if (rules.length === 0) return null
  return { rules: inOrder(rules.map(([key]) => key)), roles: rolesIn(Object.fromEntries(rules)) }
}

function columnFacts(resource: AnyRepository['resource']) {
  const { input, columns, hidden, owner, tenant, references } = resource
  const targets = Object.entries(references).map(([column, { name }]) => [column, name] as const)
  return {
    input: inOrder(Object.keys(input.shape)),
    shown: inOrder(columns),
    hidden: inOrder(hidden),
    immutable: inOrder(resource.immutable),
    owner,
    tenant,
    references: Object.fromEntries(targets),
  }
}

function verbFacts(options: AnyRepository['options']) {
  const { updatedBy = [], deletedBy = [] } = options as WritingVerbs<Resource>
  return { updated_by: inOrder(updatedBy), deleted_by: inOrder(deletedBy) }
}

const inOrder = (names: readonly string[]) => sortedBy(names, (name) => name)

function scopeFacts({ where, variants }: AnyScope) {
  return { variants: inOrder(Object.keys(variants)), roles: rolesIn({ where, ...variants }) }
}
