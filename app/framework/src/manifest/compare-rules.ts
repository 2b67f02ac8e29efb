import { added, type Differences, gone, none, together } from './differences.ts'
import type { ResourceEntry } from './schema.ts'

/** What rules say about themselves: those of a policy, or those of a scope. */
type Rules = Pick<ResourceEntry, 'roles' | 'digests'>

/**
 * What changed in the rules that are on both sides. That it might let more in is the answer to all of it: `hasRole('admin')`
 * loses a role on its way to `true`, and the text of a rule says no more than that it is another one.
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
      (role) => `${rule} no longer mentions the role ${role}: it may be open to more.`,
    ),
  ]
  const isSilent = mentions.length === 0 && old.digest !== now.digest
  return none({
    wider: isSilent ? [`${rule} reads differently: whether it lets more in can't be told.`] : mentions,
  })
}

const nowMentioned = (rule: string, old: readonly string[], now: readonly string[]): string[] =>
  added(old, now).map((role) => `${rule} now mentions the role ${role}.`)
