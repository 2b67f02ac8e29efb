import { createRequire } from 'node:module'
import type * as acornTypeScriptModule from '@sveltejs/acorn-typescript'
import type * as acornModule from 'acorn'

const require = createRequire(import.meta.url)

// Loaded on first use, because a server imports this folder but parses no source text.
const loadAcorn = () => require('acorn') as typeof acornModule
const loadAcornTypeScript = () => require('@sveltejs/acorn-typescript') as typeof acornTypeScriptModule

/** A node of a syntax tree in the form of ESTree. */
export interface SyntaxNode {
  readonly type: string
  /** The position of its first character. */
  readonly start: number
  readonly [property: string]: unknown
}

const OPTIONS: acornModule.Options = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  // The text of a method may use `super`.
  allowSuperOutsideMethod: true,
}

/** Returns the syntax tree of JavaScript. Throws if it does not parse. */
export const parseJavaScript = (text: string): SyntaxNode =>
  loadAcorn().Parser.parse(text, OPTIONS) as unknown as SyntaxNode

/** Returns the syntax tree of TypeScript, with the lines of its nodes in `loc`. Throws if it does not parse. */
export function parseTypeScript(text: string): SyntaxNode {
  const parser = loadAcorn().Parser.extend(loadAcornTypeScript().tsPlugin())
  return parser.parse(text, { ...OPTIONS, locations: true }) as unknown as SyntaxNode
}

/** Returns a node and all nodes below it, each before its children. */
export function* nodesIn(value: unknown): Generator<SyntaxNode> {
  // A recursive generator would pass each node through the generators of all nodes above it.
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if (isNode(next)) yield next
    open.push(...Object.values(next).toReversed())
  }
}

/** Returns whether an object of a syntax tree is a node. Lists and positions are not. */
export const isNode = (value: object): value is SyntaxNode =>
  typeof (value as { type?: unknown }).type === 'string'

/** The types of nodes that contain an expression and have its value. */
const WRAPPERS = [
  'ChainExpression',
  'TSAsExpression',
  'TSInstantiationExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
]

/** Returns the expression without casts and similar nodes: `posts` for `posts!` and for `(posts as Repository)`. */
export function unwrapped(node: SyntaxNode): SyntaxNode {
  return WRAPPERS.includes(node.type) ? unwrapped(node['expression'] as SyntaxNode) : node
}

/** Returns the value of a string, of a template without expressions, or of a sum of these. Null for other nodes. */
export function textOf(node: SyntaxNode | undefined): string | null {
  if (node === undefined) return null
  const { type, value, quasis, operator, left, right } = unwrapped(node)
  if (type === 'Literal') return typeof value === 'string' ? value : null
  if (type === 'BinaryExpression' && operator === '+') {
    const parts = [left, right].map((part) => textOf(part as SyntaxNode))
    return parts.includes(null) ? null : parts.join('')
  }
  const [quasi, ...more] = type === 'TemplateLiteral' ? (quasis as { value: { cooked: string } }[]) : []
  return quasi === undefined || more.length > 0 ? null : quasi.value.cooked
}

/** Returns the node that names an expression: `roles` for `roles`, for `ctx.roles` and for `ctx['roles']`. */
export function nameNode(expression: SyntaxNode): SyntaxNode {
  const { type, property } = unwrapped(expression)
  return type === 'MemberExpression' ? (property as SyntaxNode) : unwrapped(expression)
}

/** Returns the last name in an expression: `roles` for `ctx.roles`. Returns null if the name is computed. */
export function nameOf(expression: SyntaxNode): string | null {
  const { type, computed } = unwrapped(expression)
  const name = nameNode(expression)
  if (name.type === 'Identifier' && !(type === 'MemberExpression' && computed)) return name['name'] as string
  return type === 'MemberExpression' ? textOf(name) : null
}

/** Returns whether a node is one of these names, or a string of nothing else, which may be a key. */
export function isNamed(node: SyntaxNode, names: readonly string[]): boolean {
  const name = node.type === 'Identifier' ? (node['name'] as string) : stringOf(node)
  return name !== null && names.includes(name)
}

/** Returns the text of a string. Null for nodes that contain a string, such as casts, so that it counts once. */
export const stringOf = (node: SyntaxNode): string | null =>
  ['BinaryExpression', 'Literal', 'TemplateLiteral'].includes(node.type) ? textOf(node) : null
