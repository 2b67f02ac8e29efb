import { mentionAt, nameOf, parseNodes, type SyntaxNode, textOf } from './code/syntax-tree.ts'

type Rule = (...args: never[]) => unknown

/**
 * Returns the roles in the source of each rule. Rules without roles are left out. A hint for reviewers, since a rule may
 * call functions that check other roles.
 */
export function rolesByRule(rules: Readonly<Record<string, Rule>>): Record<string, string[]> {
  const mentioned = Object.entries(rules).map(([key, rule]) => [key, rolesMentioned(rule)] as const)
  return Object.fromEntries(mentioned.filter(([, roles]) => roles.length > 0))
}

export const rolesMentioned = (rule: Rule): string[] =>
  [...new Set(nodesOf(rule).flatMap(rolesAt))].toSorted()

/** Returns `['admin']` for the node of `ctx.hasRole('admin')` or `ctx.roles.includes('admin')`. */
function rolesAt(node: SyntaxNode): string[] {
  const { name, object, args } = mentionAt(node) ?? {}
  const isCheck = name === 'hasRole' || (name === 'includes' && object && nameOf(object) === 'roles')
  return args && isCheck ? [textOf(args[0]) ?? '(not a literal)'] : []
}

/** The text of a function is an expression. The text of a method, such as `show(ctx) {…}`, parses only in a class. */
const FORMS = [(text: string) => `(${text})`, (text: string) => `(class { ${text} })`]

/** Returns the nodes of a rule. None if it has no source, or if its source is not valid in strict mode. */
function nodesOf(rule: Rule): SyntaxNode[] {
  for (const form of FORMS) {
    try {
      return parseNodes(form(String(rule)))
    } catch {
      // Not this form.
    }
  }
  return []
}
