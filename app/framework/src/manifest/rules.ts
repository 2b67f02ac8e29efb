import { createHash } from 'node:crypto'
import type { AnyScope } from '../authorization/authorization-types.ts'
import { scopeQuestionOf } from '../authorization/in-scope.ts'
import { questionText } from '../authorization/scope-answers.ts'
import { outerNames } from './outer-names.ts'
import { nameOf, nodesIn, parseJavaScript, type SyntaxNode, textOf, unwrapped } from './syntax-tree.ts'

type Rule = (...args: never[]) => unknown

/** Returns the roles in a rule's source. A hint for reviewers, since the rule may call functions that check other roles. */
export function rolesMentioned(rule: Rule): string[] {
  const names = [...nodesIn(treeOf(rule))].flatMap(rolesAt)
  return [...new Set(names)].toSorted()
}

/** Returns `['admin']` for the node of `ctx.hasRole('admin')` or `ctx.roles.includes('admin')`. */
function rolesAt({ type, ...call }: SyntaxNode): string[] {
  if (type !== 'CallExpression') return []
  const [role] = call['arguments'] as SyntaxNode[]
  return checksRole(call['callee'] as SyntaxNode) ? [textOf(role) ?? '(not a literal)'] : []
}

function checksRole(callee: SyntaxNode): boolean {
  const { object } = unwrapped(callee)
  const name = nameOf(callee)
  return name === 'hasRole' || (name === 'includes' && isRoles(object as SyntaxNode | undefined))
}

const isRoles = (list: SyntaxNode | undefined) => list !== undefined && nameOf(list) === 'roles'

/** Returns the roles in the source of each rule. Rules without roles are left out. */
export function rolesByRule(rules: Readonly<Record<string, Rule>>): Record<string, string[]> {
  const mentioned = Object.entries(rules).map(([key, rule]) => [key, rolesMentioned(rule)] as const)
  return Object.fromEntries(mentioned.filter(([, roles]) => roles.length > 0))
}

/**
 * Returns the functions and values outside of each rule that its source names: imports, and the arguments of a function
 * that created the rule. The digest of the rule does not change with them. Rules without such names are left out. A rule
 * of `inScope('mine')` has this text as its only name.
 */
export function callsByRule(rules: Readonly<Record<string, Rule>>): Record<string, string[]> {
  const named = Object.entries(rules).map(([key, rule]) => [key, callsOf(rule)] as const)
  return Object.fromEntries(named.filter(([, names]) => names.length > 0))
}

function callsOf(rule: Rule): string[] {
  const question = scopeQuestionOf(rule)
  if (question !== undefined) return [questionText(question)]
  const tree = treeOf(rule)
  return tree === null ? ['(unknown)'] : outerNames(tree)
}

/**
 * Returns a digest of each rule's source. It ignores formatting and comments, and changes with everything else.
 * `no source` for a function that JavaScript can't print: a bound or a built-in one. A rule of `inScope('mine')` has the
 * digest of this text.
 */
export const digestsOf = (rules: Readonly<Record<string, Rule>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, digestOf(rule)]))

function digestOf(rule: Rule): string {
  const question = scopeQuestionOf(rule)
  if (question !== undefined) return digestOfText(questionText(question))
  const tree = treeOf(rule)
  if (tree === null && String(rule).endsWith('{ [native code] }')) return 'no source'
  return digestOfText(tree === null ? String(rule) : JSON.stringify(tree, withoutFormatting))
}

const digestOfText = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** Leaves out the positions of nodes, and the quotes of strings: `raw` is the spelling of a literal. */
function withoutFormatting(this: SyntaxNode, key: string, value: unknown): unknown {
  if (key === 'start' || key === 'end') return undefined
  if (key === 'raw' && typeof this['value'] === 'string') return undefined
  // JSON has no bigint. Its `raw` remains.
  return typeof value === 'bigint' ? undefined : value
}

/** The text of a function is an expression. The text of a method, such as `show(ctx) {…}`, parses only in a class. */
const FORMS = [(text: string) => `(${text})`, (text: string) => `(class { ${text} })`]

/** Returns the syntax tree of a rule. Null if the rule has no source, or if its source is not valid in strict mode. */
function treeOf(rule: Rule): SyntaxNode | null {
  for (const form of FORMS) {
    try {
      return parseJavaScript(form(String(rule)))
    } catch {
      // Not this form.
    }
  }
  return null
}

/** Returns the variants of a scope, by name. */
export function variantsOf({ variants }: AnyScope): Record<string, Rule> {
  return { ...(variants as Record<string, Rule>) }
}
