import { createRequire } from 'node:module'
import type * as acornTypeScriptModule from '@sveltejs/acorn-typescript'
import type * as acornModule from 'acorn'

const require = createRequire(import.meta.url)

/** A node of a syntax tree in the form of ESTree. The nodes of types are not in this union, and nothing reads them. */
export type SyntaxNode = acornModule.AnyNode

/**
 * Returns the nodes of TypeScript, each before its children: the first one is the root. Throws if the text does not
 * parse.
 */
export function parseNodes(text: string): SyntaxNode[] {
  // Loaded on first use, because a development server imports this folder but parses no source text.
  const { Parser } = require('acorn') as typeof acornModule
  const { tsPlugin } = require('@sveltejs/acorn-typescript') as typeof acornTypeScriptModule
  const tree = Parser.extend(tsPlugin()).parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    // The text of a method may use `super`.
    allowSuperOutsideMethod: true,
  })
  return [...nodesIn(tree)]
}

/** Yields a node and all nodes below it, each before its children. */
export function* nodesIn(value: object): Generator<SyntaxNode> {
  // A recursive generator would pass each node through the generators of all nodes above it.
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if (isNode(next)) yield next
    open.push(...Object.values(next).toReversed())
  }
}

/** Returns whether an object of a syntax tree is a node. Lists and positions are not. */
const isNode = (value: object): value is SyntaxNode => 'type' in value && typeof value.type === 'string'

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
  if (!WRAPPERS.includes(node.type)) return node
  return unwrapped((node as acornModule.ChainExpression).expression)
}

/** Returns the value of a string, of a template without expressions, or of a sum of these. Null for other nodes. */
export const textOf = (node: SyntaxNode | undefined): string | null =>
  node === undefined ? null : stringOf(unwrapped(node))

function stringOf(node: SyntaxNode): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node.type === 'TemplateLiteral')
    return node.quasis.length === 1 ? (node.quasis[0]?.value.cooked ?? null) : null
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === null || right === null ? null : left + right
}

/** A name in code, with the expressions around it: `users` and `'why'` for `asSystem` in `users.asSystem('why')`. */
export interface Mention {
  readonly name: string
  /** The node of the name. */
  readonly at: SyntaxNode
  /** The expression before the name. */
  readonly object?: SyntaxNode
  /** The arguments of a call, and the template after a tag. */
  readonly args?: readonly SyntaxNode[]
  readonly template?: acornModule.TemplateLiteral
}

/**
 * Returns the name that a node mentions: that of a call, a tag or a property, or the node itself. A string of nothing
 * else counts, since it may be a key. Null for other nodes, and for a name that is computed.
 */
export function mentionAt(node: SyntaxNode): Mention | null {
  // The expression in a cast is a node of its own.
  if (WRAPPERS.includes(node.type)) return null
  if (node.type === 'CallExpression') return mentionBy(node.callee, { args: node.arguments })
  return node.type === 'TaggedTemplateExpression'
    ? mentionBy(node.tag, { template: node.quasi })
    : mentionBy(node)
}

function mentionBy(expression: SyntaxNode, around: Partial<Mention> = {}): Mention | null {
  const node = unwrapped(expression)
  const isMember = node.type === 'MemberExpression'
  const at = isMember ? node.property : node
  const name = at.type === 'Identifier' && !(isMember && node.computed) ? at.name : textOf(at)
  return name === null ? null : { ...around, name, at, ...(isMember && { object: unwrapped(node.object) }) }
}

/** Returns the last name in an expression: `roles` for `roles`, `ctx.roles` and `ctx['roles']`. Null if it is computed. */
export const nameOf = (expression: SyntaxNode): string | null => mentionBy(expression)?.name ?? null
