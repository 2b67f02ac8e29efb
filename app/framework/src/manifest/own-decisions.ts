import { parsed, type Source } from './sources.ts'
import { nameOf, type SyntaxNode, textOf, unwrapped } from './syntax-tree.ts'

/** A decision that code makes itself, outside of the guards of routes. */
interface OwnDecision {
  readonly file: string
  /** `create Post`. */
  readonly decision: string
}

/** Returns the calls of `authorizeRecord` in source files. */
export const ownDecisions = (sources: readonly Source[]): OwnDecision[] =>
  sources.flatMap((source) => {
    const content = parsed(source)
    const nodes = 'nodes' in content ? content.nodes : []
    return nodes.flatMap((node) => {
      if (node.type !== 'CallExpression' || nameOf(node['callee'] as SyntaxNode) !== 'authorizeRecord')
        return []
      const [, action, resource] = node['arguments'] as SyntaxNode[]
      const named = resource === undefined ? null : nameOf(unwrapped(resource))
      return [
        { file: source.file, decision: `${textOf(action) ?? '(any action)'} ${named ?? '(any resource)'}` },
      ]
    })
  })
