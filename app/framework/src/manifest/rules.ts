import { createHash } from 'node:crypto'
import type { AnyScope } from '../authorization/authorization-types.ts'

type Rule = (...args: never[]) => unknown

const ROLE = /(?:\bhasRole|\broles\s*\.\s*includes)\s*\(\s*(?:(['"`])([^'"`$]*)\1)?/g

/** Returns the roles in a rule's source. A hint for reviewers, since the rule may call functions that check other roles. */
export function rolesMentioned(rule: Rule): string[] {
  const names = [...String(rule).matchAll(ROLE)].map(([, , name]) => name ?? '(not a literal)')
  return [...new Set(names)].toSorted()
}

/** Returns the roles in the source of each rule. Rules without roles are left out. */
export function rolesByRule(rules: Readonly<Record<string, Rule>>): Record<string, string[]> {
  const mentioned = Object.entries(rules).map(([key, rule]) => [key, rolesMentioned(rule)] as const)
  return Object.fromEntries(mentioned.filter(([, roles]) => roles.length > 0))
}

/** Returns a digest of each rule's source. It ignores formatting and changes with everything else. */
export const digestsOf = (rules: Readonly<Record<string, Rule>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, digestOf(rule)]))

function digestOf(rule: Rule): string {
  const text = String(rule)
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => line.replaceAll(/\s/g, '') + (ENDS_MATTER.test(line) ? '\n' : ''))
    .join('')
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** A line whose line break has a meaning: it ends in a comment or in a bare `return`. */
const ENDS_MATTER = /\/\/|\breturn\s*$/

/** Returns the variants of a scope, by name. */
export function variantsOf({ variants }: AnyScope): Record<string, Rule> {
  return { ...(variants as Record<string, Rule>) }
}
