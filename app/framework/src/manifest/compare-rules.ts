import { added, type Differences, gone, none, together } from './differences.ts'
import type { ResourceEntry } from './schema.ts'

/** The roles, calls and digests of the rules of a policy or a scope. */
export type Rules = Pick<ResourceEntry, 'roles' | 'calls' | 'digests'>

/**
 * Compares the rules that both manifests have. Every change counts as wider: a rule that changes from
 * `hasRole('admin')` to `true` loses a role, and a digest only shows that the text changed.
 */
export function compareRules(what: string, old: Rules, now: Rules): Differences {
  const kept = Object.keys(old.digests.by_rule).filter((rule) => rule in now.digests.by_rule)
  const fresh = Object.keys(now.digests.by_rule).filter((rule) => !(rule in old.digests.by_rule))
  return together([
    ...kept.map((rule) => compareRule(`${what} ${rule}`, factsOf(old, rule), factsOf(now, rule))),
    ...fresh.map((rule) => none({ wider: gained(`${what} ${rule}`, NO_NAMES, factsOf(now, rule)) })),
  ])
}

interface Names {
  roles: readonly string[]
  calls: readonly string[]
}

const NO_NAMES: Names = { roles: [], calls: [] }

interface RuleFacts extends Names {
  digest: string | undefined
}

const factsOf = ({ roles, calls, digests }: Rules, rule: string): RuleFacts => ({
  roles: roles.by_rule[rule] ?? [],
  calls: calls.by_rule[rule] ?? [],
  digest: digests.by_rule[rule],
})

function compareRule(rule: string, old: RuleFacts, now: RuleFacts): Differences {
  const mentions = [
    ...gained(rule, old, now),
    ...gone(old.roles, now.roles).map(
      (role) => `${rule} no longer mentions the role ${role}: it may allow more users.`,
    ),
    ...gone(old.calls, now.calls).map((name) => `${rule} no longer uses ${name}, which may have denied.`),
  ]
  const isSilent = mentions.length === 0 && old.digest !== now.digest
  return none({
    wider: isSilent ? [`${rule} changed; its effect on access is unknown.`] : mentions,
  })
}

const gained = (rule: string, old: Names, now: Names): string[] => [
  ...added(old.roles, now.roles).map((role) => `${rule} now mentions the role ${role}.`),
  ...added(old.calls, now.calls).map(
    (name) => `${rule} now uses ${name}, whose changes the manifest does not show.`,
  ),
]
