import { lineOf, parsed, type Source, UNREADABLE } from './parsed-source.ts'
import { nameNode, nameOf, type SyntaxNode, textOf, unwrapped } from './syntax-tree.ts'

/** A call without policy and scope: `posts.asSystem('seed')`. */
export interface SystemUse {
  readonly file: string
  readonly line: number
  /** The expression before `.asSystem`, without its formatting. */
  readonly repository: string
  /** Null if the reason is not a literal. */
  readonly why: string | null
}

const AS_SYSTEM = 'asSystem'
const UNNAMED = '(an unnamed expression)'

/**
 * Returns every mention of `asSystem` in code, including those that are not a call. Strings count if they are nothing
 * but `asSystem`, since they may be a key. Values are not followed: after `const { asSystem: system } = posts`, the
 * calls of `system` are not found, but the destructuring is.
 */
export const systemUses = (sources: readonly Source[]): SystemUse[] =>
  sources
    .filter(({ text }) => text.includes(AS_SYSTEM))
    .flatMap((source) => usesIn(source).map((use) => ({ file: source.file, ...use })))

type Use = Omit<SystemUse, 'file'>

function usesIn(source: Source): Use[] {
  const file = parsed(source)
  if ('errorLine' in file) return [{ line: file.errorLine, repository: UNREADABLE, why: null }]
  const uses = new Map<number, Use>()
  for (const node of file.nodes) {
    for (const { name, repository = null, why = null } of mentionsAt(node)) {
      // A call comes before its parts, and knows more than they do.
      if (uses.has(name.start)) continue
      uses.set(name.start, { line: lineOf(name), repository: repository ?? UNNAMED, why })
    }
  }
  return [...uses.values()]
}

interface Mention {
  /** The node that is `asSystem` itself. */
  readonly name: SyntaxNode
  readonly repository?: string | null
  readonly why?: string | null
}

function mentionsAt(node: SyntaxNode): Mention[] {
  if (node.type === 'CallExpression') {
    const [reason] = node['arguments'] as SyntaxNode[]
    return mentioned(node['callee'] as SyntaxNode, textOf(reason))
  }
  if (node.type === 'VariableDeclarator') return destructured(node['id'], node['init'])
  if (node.type === 'AssignmentExpression') return destructured(node['left'], node['right'])
  return textOf(node) === AS_SYSTEM ? [{ name: node }] : mentioned(node)
}

function mentioned(expression: SyntaxNode, why: string | null = null): Mention[] {
  if (nameOf(expression) !== AS_SYSTEM) return []
  const { object } = unwrapped(expression)
  return [{ name: nameNode(expression), repository: printed(object), why }]
}

/** Returns the mentions in `const { asSystem } = posts`. */
function destructured(pattern: unknown, value: unknown): Mention[] {
  const { type, properties } = pattern as SyntaxNode
  if (type !== 'ObjectPattern') return []
  return (properties as { key?: SyntaxNode }[]).flatMap(({ key }) =>
    key !== undefined && (textOf(key) ?? nameOf(key)) === AS_SYSTEM
      ? [{ name: key, repository: printed(value) }]
      : [],
  )
}

/** Returns `repositoryOf(Post)` for its node, however it is formatted. Null for expressions without a name. */
function printed(node: unknown): string | null {
  if (typeof node !== 'object' || node === null) return null
  const expression = unwrapped(node as SyntaxNode)
  const print = PRINTERS[expression.type]
  return print === undefined ? null : print(expression)
}

const PRINTERS: Readonly<Record<string, (node: SyntaxNode) => string | null>> = {
  Identifier: ({ name }) => name as string,
  PrivateIdentifier: ({ name }) => `#${name as string}`,
  ThisExpression: () => 'this',
  Literal: ({ raw }) => raw as string,
  MemberExpression({ object, property, computed, optional }) {
    const [before, name] = [printed(object), printed(property) ?? '…']
    if (before === null) return null
    if (computed) return `${before}${optional ? '?.' : ''}[${name}]`
    return `${before}${optional ? '?.' : '.'}${name}`
  },
  CallExpression({ callee, arguments: given, optional }) {
    const before = printed(callee)
    const list = (given as SyntaxNode[]).map((one) => printed(one) ?? '…')
    return before === null ? null : `${before}${optional ? '?.' : ''}(${list.join(',')})`
  },
}
