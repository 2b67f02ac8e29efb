import { isNamed, nameNode, nameOf, type SyntaxNode, textOf, unwrapped } from './syntax-tree.ts'

interface TenantUse {
  readonly at: SyntaxNode
  /** The function that chooses the tenant. */
  readonly what: string
}

/** Returns the places that choose a tenant: uses of `withTenant` and `withAllTenants`, and contexts with a tenant. */
export const tenantUses = (nodes: readonly SyntaxNode[]): TenantUse[] => [
  ...nodes.flatMap(functionsAt),
  ...contexts(nodes),
]

const FUNCTIONS = ['withTenant', 'withAllTenants']

/** Returns the function that an import or a property names, if it chooses a tenant. */
function functionsAt({ type, imported, property }: SyntaxNode): TenantUse[] {
  const name = (type === 'ImportSpecifier' ? imported : property) as SyntaxNode | undefined
  const what = FUNCTIONS.find((one) => name !== undefined && isNamed(name, [one]))
  return what === undefined ? [] : [{ at: name!, what }]
}

const CONTEXT = 'contextOf'

/**
 * Returns the calls `contextOf(session, { tenant })`, and those that may have a tenant. Other mentions count too, since
 * their calls are not found: `const make = contextOf`.
 */
function contexts(nodes: readonly SyntaxNode[]): TenantUse[] {
  const harmless = new Set<number>()
  for (const node of nodes) {
    if (node.type === 'ImportSpecifier') {
      const [imported, local] = [node['imported'], node['local']] as [SyntaxNode, SyntaxNode]
      if (isNamed(imported, [CONTEXT]) && isNamed(local, [CONTEXT])) harmless.add(imported.start)
    } else if (node.type === 'CallExpression' && nameOf(node['callee'] as SyntaxNode) === CONTEXT) {
      const [, parts] = node['arguments'] as SyntaxNode[]
      if (!mayNameTenant(parts)) harmless.add(nameNode(node['callee'] as SyntaxNode).start)
    }
  }
  return nodes
    .filter((node) => isNamed(node, [CONTEXT]) && !harmless.has(node.start))
    .map((at) => ({ at, what: CONTEXT }))
}

/** Returns whether the second argument of `contextOf` has a tenant, or is anything but an object with known keys. */
function mayNameTenant(parts: SyntaxNode | undefined): boolean {
  if (parts === undefined) return false
  const { type, properties } = unwrapped(parts)
  if (type !== 'ObjectExpression') return true
  return (properties as SyntaxNode[]).some(({ key, computed }) => {
    if (key === undefined) return true
    const name = computed === true ? textOf(key as SyntaxNode) : keyOf(key as SyntaxNode)
    return name === null || name === 'tenant'
  })
}

const keyOf = (key: SyntaxNode): string | null =>
  key.type === 'Identifier' ? (key['name'] as string) : textOf(key)
