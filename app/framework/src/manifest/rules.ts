import { createHash } from 'node:crypto'
import type { AnyScope } from '../authorization/authorization-types.ts'

type Rule = (...asked: never[]) => unknown

const ROLE = /(?:\bhasRole|\broles\s*\.\s*includes)\s*\(\s*(?:(['"`])([^'"`$]*)\1)?/g

/** The names of the roles that a rule's source mentions: a hint, since a rule may call a function that asks for more. */
export function rolesMentioned(rule: Rule): string[] {
  const names = [...String(rule).matchAll(ROLE)].map(([, , name]) => name ?? '(not a literal)')
  return [...new Set(names)].toSorted()
}

/** The roles each rule of a policy mentions, by its key; rules that mention none are left out. */
export function rolesByRule(rules: Readonly<Record<string, Rule>>): Record<string, string[]> {
  const mentioned = Object.entries(rules).map(([key, rule]) => [key, rolesMentioned(rule)] as const)
  return Object.fromEntries(mentioned.filter(([, roles]) => roles.length > 0))
}

/** A digest of each rule's text, by its key: the same however it is laid out, another as soon as it reads differently. */
export const digestsOf = (rules: Readonly<Record<string, Rule>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, digestOf(rule)]))

function digestOf(rule: Rule): string {
  const text = String(rule)
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => line.replaceAll(/\s/g, '') + (ENDS_MATTER.test(line) ? '\n' : ''))
    .join('')
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** Where the end of a line ends more than the line: a comment, which could swallow the next one, or a bare `return`. */
const ENDS_MATTER = /\/\/|\breturn\s*$/

/** The variants of a scope, by their names. */
export function variantsOf({ variants }: AnyScope): Record<string, Rule> {
  return { ...(variants as Record<string, Rule>) }
}
