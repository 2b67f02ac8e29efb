import { added, type Differences, gone, none } from './differences.ts'
import type { ResourceEntry } from './schema.ts'

type Roles = ResourceEntry['roles']

interface RoleChange {
  /** The beginning of each sentence: `Post's rule`. */
  readonly what: string
  /** The rules that exist now. */
  readonly rules: readonly string[]
  readonly old: Roles | undefined
  readonly now: Roles | undefined
}

/**
 * Compares the roles that rules mention. Every change counts as wider: a rule that changes from `hasRole('admin')` to
 * `true` loses a role.
 */
export function compareRoles({ what, rules, old, now }: RoleChange): Differences {
  return none({
    wider: rules.flatMap((rule) => {
      const [before, after] = [old, now].map((roles) => roles?.by_rule[rule] ?? []) as [string[], string[]]
      return [
        ...added(before, after).map((role) => `${what} ${rule} now mentions the role ${role}.`),
        ...gone(before, after).map(
          (role) => `${what} ${rule} no longer mentions the role ${role}: it may allow more users.`,
        ),
      ]
    }),
  })
}
