import { added, type Differences, gone, none, together } from './differences.ts'
import type { ResourceEntry } from './schema.ts'

/** The roles and digests of the rules of a policy or a scope. */
type Rules = Pick<ResourceEntry, 'roles' | 'digests'>

/**
 * Compares the rules that both manifests have. Every change counts as wider: a rule that changes from
 * `hasRole('admin')` to `true` loses a role, and a digest only shows that the text changed.
 */
export function compareRules(what: string, old: Rules, now: Rules): Differences {
  const kept = Object.keys(old.digests.by_rule).filter((rule) => rule in now.digests.by_rule)
  const fresh = Object.keys(now.digests.by_rule).filter((rule) => !(rule in old.digests.by_rule))
  return together([
    ...kept.map((rule) => compareRule(`${what} ${rule}`, factsOf(old, rule), factsOf(now, rule))),
    ...fresh.map((rule) => none({ wider: nowMentioned(`${what} ${rule}`, [], factsOf(now, rule).roles) })),
  ])
}

interface RuleFacts {
  roles: readonly string[]
  digest: string | undefined
}

const factsOf = ({ roles, digests }: Rules, rule: string): RuleFacts => ({
  roles: roles.by_rule[rule] ?? [],
  digest: digests.by_rule[rule],
})

function compareRule(rule: string, old: RuleFacts, now: RuleFacts): Differences {
  const mentions = [
    ...nowMentioned(rule, old.roles, now.roles),
    ...gone(old.roles, now.roles).map(
      (role) => `${rule} no longer mentions the role ${role}: it may allow more users.`,
    ),
  ]
  const isSilent = mentions.length === 0 && old.digest !== now.digest
  return none({
    wider: isSilent ? [`${rule} changed; its effect on access is unknown.`] : mentions,
  })
}

const nowMentioned = (rule: string, old: readonly string[], now: readonly string[]): string[] =>
  added(old, now).map((role) => `${rule} now mentions the role ${role}.`)
