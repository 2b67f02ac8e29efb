import { isNode, type SyntaxNode, textOf, unwrapped } from './syntax-tree.ts'

/** Names of the language that no import and no closure provides. */
const KNOWN = ['arguments', 'undefined']

/**
 * Returns the functions and values that a source uses but does not declare, sorted: `rules.isOpen` for
 * `rules.isOpen(note)`. They are imports, variables of the file, and arguments of a function that created this one.
 */
export function outerNames(tree: SyntaxNode): string[] {
  const found = new Set<string>()
  visit(tree, new Set(KNOWN), found)
  return [...found].toSorted()
}

/** Adds the outer names below `value` to `found`. `locals` contains the names that are declared around it. */
function visit(value: unknown, locals: ReadonlySet<string>, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  if (!isNode(value)) return Object.values(value).forEach((child) => visit(child, locals, found))
  const name = nameAt(value)
  if (name !== null) {
    if (!locals.has(name.root)) found.add(name.path)
    return
  }
  if (value.type === 'ImportExpression') found.add(importText(value))
  const inside = new Set([...locals, ...declaredIn(value)])
  for (const [key, child] of Object.entries(value)) {
    if (!isLabel(value, key)) visit(child, inside, found)
  }
}

const importText = ({ source }: SyntaxNode): string => {
  const module = textOf(source as SyntaxNode)
  return `import of ${module ?? 'a computed name'}`
}

interface Name {
  readonly root: string
  readonly path: string
}

/** Returns `{ root: 'rules', path: 'rules.isOpen' }` for `rules.isOpen`. Null if a part is computed, or not a name. */
function nameAt(expression: SyntaxNode): Name | null {
  const node = unwrapped(expression)
  if (node.type === 'Identifier') return { root: node['name'] as string, path: node['name'] as string }
  if (node.type === 'ThisExpression') return { root: 'this', path: 'this' }
  if (node.type === 'Super') return { root: 'super', path: 'super' }
  if (node.type !== 'MemberExpression') return null
  const before = nameAt(node['object'] as SyntaxNode)
  const property = node['property'] as SyntaxNode
  const key = node['computed'] === true ? textOf(property) : (property['name'] as string)
  return before === null || key === null ? null : { root: before.root, path: `${before.path}.${key}` }
}

/** The properties whose identifier is no variable: the key of `{ key: 1 }`, the name of `break name`. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ['property'],
  Property: ['key'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  MetaProperty: ['meta', 'property'],
}

const isLabel = ({ type, computed }: SyntaxNode, key: string): boolean =>
  computed !== true && (LABELS[type]?.includes(key) ?? false)

/**
 * Returns the names that a node declares for the nodes below it. A `var` counts for its block only: if it is used
 * outside, it is listed although it is local.
 */
function declaredIn(node: SyntaxNode): string[] {
  const { id, params, param, body, init, left, cases } = node
  switch (node.type) {
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      return [id, ...(params as unknown[])].flatMap(namesOf)
    case 'ClassExpression':
      return namesOf(id)
    case 'CatchClause':
      return namesOf(param)
    case 'BlockStatement':
    case 'StaticBlock':
      return declaredBy(body as SyntaxNode[])
    case 'SwitchStatement':
      return (cases as { consequent: SyntaxNode[] }[]).flatMap(({ consequent }) => declaredBy(consequent))
    case 'ForStatement':
      return declaredBy([init])
    case 'ForInStatement':
    case 'ForOfStatement':
      return declaredBy([left])
    default:
      return []
  }
}

const declaredBy = (statements: readonly unknown[]): string[] =>
  statements.flatMap((statement) => {
    const { type, id, declarations } = (statement ?? {}) as Partial<SyntaxNode>
    if (type === 'VariableDeclaration') {
      return (declarations as { id: SyntaxNode }[]).flatMap((declaration) => namesOf(declaration.id))
    }
    return type === 'FunctionDeclaration' || type === 'ClassDeclaration' ? namesOf(id) : []
  })

/** Returns the names in a pattern: `a`, `b` and `c` for `{ a, x: [b], ...c }`. */
function namesOf(pattern: unknown): string[] {
  if (typeof pattern !== 'object' || pattern === null) return []
  const { type, name, properties, elements, value, left, argument } = pattern as SyntaxNode
  switch (type) {
    case 'Identifier':
      return [name as string]
    case 'ObjectPattern':
      return (properties as unknown[]).flatMap(namesOf)
    case 'ArrayPattern':
      return (elements as unknown[]).flatMap(namesOf)
    case 'Property':
      return namesOf(value)
    case 'AssignmentPattern':
      return namesOf(left)
    default:
      return namesOf(argument)
  }
}
