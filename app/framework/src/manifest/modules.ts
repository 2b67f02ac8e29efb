import { createHash } from 'node:crypto'
import { type Import, type ParsedSource, withImports } from './sources.ts'

/** The functions of the framework whose callers decide about access, together with the modules that they import. */
const DECLARATIONS = ['accessTable', 'lookup', 'policy', 'repository', 'resource', 'scope', 'sessionToken']

/**
 * Returns a digest of each module that declares resources, policies, scopes, lookups, repositories or sessions, of all
 * modules of the application that these import, and of the files in `others`. The digest ignores formatting and
 * comments, and changes with everything else.
 */
export function moduleDigests(
  sources: readonly ParsedSource[],
  others: readonly ParsedSource[],
): Record<string, string> {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const declaring = sources.filter(({ imports }) => imports.some(declares))
  const modules = withImports(declaring, (file) => byFile.get(file))
  return Object.fromEntries([...modules, ...others].map((source) => [source.file, digestOf(source)]))
}

function declares({ at, module, names }: Import): boolean {
  if (module !== 'pergola') return false
  return names === null
    ? at.type !== 'ImportExpression'
    : names.values().some((name) => DECLARATIONS.includes(name))
}

/** Other files than code have a digest of their text. */
function digestOf({ nodes: [root], text }: ParsedSource): string {
  const content = root === undefined ? text : JSON.stringify(root, withoutFormatting)
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}

/** Leaves out the positions of nodes, and the quotes of strings: `raw` is the spelling of a literal. */
function withoutFormatting(this: { value?: unknown }, key: string, value: unknown): unknown {
  if (['start', 'end', 'loc'].includes(key)) return undefined
  if (key === 'raw' && typeof this.value === 'string') return undefined
  // JSON has no bigint. Its `raw` remains.
  return typeof value === 'bigint' ? undefined : value
}
