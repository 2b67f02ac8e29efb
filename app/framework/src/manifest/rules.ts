import { nameOf, nodesIn, parseJavaScript, type SyntaxNode, textOf, unwrapped } from './syntax-tree.ts'

type Rule = (...args: never[]) => unknown

/**
 * Returns the roles in the source of each rule. Rules without roles are left out. A hint for reviewers, since a rule may
 * call functions that check other roles.
 */
export function rolesByRule(rules: Readonly<Record<string, Rule>>): Record<string, string[]> {
  const mentioned = Object.entries(rules).map(([key, rule]) => [key, rolesMentioned(rule)] as const)
  return Object.fromEntries(mentioned.filter(([, roles]) => roles.length > 0))
}

/** Returns the roles in the source of a rule. */
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
