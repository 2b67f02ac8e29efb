import { createHash } from 'node:crypto'
import { importsOf, parsed, type Source, withImports } from './sources.ts'
import type { SyntaxNode } from './syntax-tree.ts'

/** The functions of the framework whose callers decide about access, together with the modules that they import. */
const DECLARATIONS = ['accessTable', 'lookup', 'policy', 'repository', 'resource', 'scope', 'sessionToken']

/**
 * Returns a digest of each module that declares resources, policies, scopes, lookups, repositories or sessions, of all
 * modules of the application that these import, and of the files in `others`. The digest ignores formatting and
 * comments, and changes with everything else.
 */
export function moduleDigests(sources: readonly Source[], others: readonly Source[]): Record<string, string> {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const modules = withImports(sources.filter(declares), (file) => byFile.get(file))
  return Object.fromEntries([...modules, ...others].map((source) => [source.file, digestOf(source)]))
}

const declares = (source: Source): boolean =>
  importsOf(source).some(
    ({ at, module, names }) =>
      module === 'pergola' &&
      (names?.some((name) => DECLARATIONS.includes(name)) ?? at.type !== 'ImportExpression'),
  )

/** Other files than code have a digest of their text. */
function digestOf(source: Source): string {
  const file = parsed(source)
  const content = 'errorLine' in file ? source.text : JSON.stringify(file.nodes[0], withoutFormatting)
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}

/** Leaves out the positions of nodes, and the quotes of strings: `raw` is the spelling of a literal. */
function withoutFormatting(this: SyntaxNode, key: string, value: unknown): unknown {
  if (['start', 'end', 'loc'].includes(key)) return undefined
  if (key === 'raw' && typeof this['value'] === 'string') return undefined
  // JSON has no bigint. Its `raw` remains.
  return typeof value === 'bigint' ? undefined : value
}
