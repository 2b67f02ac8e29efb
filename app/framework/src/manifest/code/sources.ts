import { hash } from 'node:crypto'
import { posix } from 'node:path'
import type { ExportNamedDeclaration, ImportDeclaration } from 'acorn'
import { nameOf, parseNodes, type SyntaxNode, textOf } from './syntax-tree.ts'

/** The text of a source file of the application. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** A source file with its nodes, the root first. A file that does not parse has none. */
export interface ParsedSource extends Source {
  readonly nodes: readonly SyntaxNode[]
  readonly imports: readonly Import[]
  /** The line of the syntax error. Null for a file that parses. */
  readonly errorLine: number | null
}

/** An import of a module at run time. */
export interface Import {
  readonly at: SyntaxNode
  /** Null if the name of the module is not a literal. */
  readonly module: string | null
  /** The names that are imported, by their names in this file. Null for all: `import * as`, `export *` and `import(…)`. */
  readonly names: ReadonlyMap<string, string> | null
}

export function parseSource(source: Source): ParsedSource {
  try {
    const nodes = parseNodes(source.text)
    return { ...source, nodes, imports: nodes.flatMap((node) => importAt(node) ?? []), errorLine: null }
  } catch (error) {
    const { line = 1 } = (error as { loc?: { line?: number } }).loc ?? {}
    return { ...source, nodes: [], imports: [], errorLine: line }
  }
}

/** Returns the import of a node, or the export from another module. Types are not imported at run time. */
function importAt(node: SyntaxNode): Import | null {
  if (node.type === 'ImportExpression' || node.type === 'ExportAllDeclaration')
    return isOfTypes(node) ? null : { at: node, module: textOf(node.source), names: null }
  if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') return null
  if (!node.source || isOfTypes(node)) return null
  const isWhole = node.specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier')
  const names = isWhole ? null : new Map(node.specifiers.map(namesAt))
  return { at: node, module: textOf(node.source), names }
}

/** The types of acorn don't have the properties of TypeScript. */
const isOfTypes = (node: SyntaxNode & { importKind?: string; exportKind?: string }): boolean =>
  node.importKind === 'type' || node.exportKind === 'type'

type Specifier = ImportDeclaration['specifiers'][number] | ExportNamedDeclaration['specifiers'][number]

/** Returns the name in this file and the name that the other module exports: `raw` and `sql` for `sql as raw`. */
function namesAt(specifier: Specifier): [string, string] {
  if (specifier.type === 'ImportSpecifier') return [specifier.local.name, nameOf(specifier.imported) ?? '']
  if (specifier.type !== 'ExportSpecifier') return [specifier.local.name, 'default']
  return [nameOf(specifier.exported) ?? '', nameOf(specifier.local) ?? '']
}

/**
 * Returns the sources with all modules of the application that they import, directly or not. `#app/` is the
 * folder `app`. Imports whose name is not a literal are not followed.
 */
export function withImports(
  sources: readonly ParsedSource[],
  find: (file: string) => ParsedSource | undefined,
): ParsedSource[] {
  const found = new Map(sources.map((source) => [source.file, source]))
  // The iteration includes the entries that it adds.
  for (const source of found.values())
    for (const { module } of source.imports) {
      const file = module === null ? null : fileOf(module, source.file)
      const imported = file === null || found.has(file) ? undefined : find(file)
      if (imported !== undefined) found.set(imported.file, imported)
    }
  return [...found.values()]
}

function fileOf(module: string, importer: string): string | null {
  if (module.startsWith('#')) return posix.normalize(module.slice(1))
  return module.startsWith('.') ? posix.join(posix.dirname(importer), module) : null
}

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
  if (module === null || !/^pergola(?:\/(?:accounts|database))?$/.test(module)) return false
  return names === null
    ? at.type !== 'ImportExpression'
    : names.values().some((name) => DECLARATIONS.includes(name))
}

/** Other files than code have a digest of their text. */
function digestOf({ nodes: [root], text }: ParsedSource): string {
  const content = root === undefined ? text : JSON.stringify(root, withoutFormatting)
  return hash('sha256', content).slice(0, 12)
}

/** Leaves out the positions of nodes, and the quotes of strings: `raw` is the spelling of a literal. */
function withoutFormatting(this: { value?: unknown }, key: string, value: unknown): unknown {
  if (['start', 'end', 'loc'].includes(key)) return undefined
  if (key === 'raw' && typeof this.value === 'string') return undefined
  // JSON has no bigint. Its `raw` remains.
  return typeof value === 'bigint' ? undefined : value
}
