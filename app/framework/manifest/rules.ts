import { createHash } from 'node:crypto'
import type { AnyPolicy } from '../authorization/policy.ts'
import type { AnyScope } from '../authorization/scope.ts'

type Rule = (...asked: never[]) => unknown

/** The actions that a policy has a rule for, sorted. `before` and `canBecome` are no actions. */
export function actionsOf({ rules }: AnyPolicy): string[] {
  return Object.keys(rules)
    .flatMap((key) => actionOf(key) ?? [])
    .toSorted()
}

/** The rule that answers for an action; undefined when nobody wrote one, which denies. */
export function ruleOf({ rules }: AnyPolicy, action: string): { key: string; rule: Rule } | undefined {
  const [key, rule] = Object.entries(rules).find(([name]) => actionOf(name) === action) ?? []
  return key === undefined || rule === undefined ? undefined : { key, rule }
}

function actionOf(key: string): string | null {
  if (key === 'canBecome' || !/^can[A-Z]/.test(key)) return null
  return key.charAt(3).toLowerCase() + key.slice(4)
}

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

/** What narrows a scope: its `where`, and its variants by their names. */
export function variantsOf({ variants }: AnyScope): Record<string, Rule> {
  return { ...(variants as Record<string, Rule>) }
}
