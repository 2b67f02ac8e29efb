import { posix } from 'node:path'
import { nodesIn, parseTypeScript, type SyntaxNode, textOf } from './syntax-tree.ts'

/** The text of a source file of the application. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** The nodes of a source file, or the line of its first syntax error. */
type Parsed = { readonly nodes: readonly SyntaxNode[] } | { readonly errorLine: number }

const parsedSources = new WeakMap<Source, Parsed>()

/** Returns the nodes of a source file, its root first, or the line of its syntax error. Parses each source once. */
export function parsed(source: Source): Parsed {
  const known = parsedSources.get(source) ?? parse(source)
  parsedSources.set(source, known)
  return known
}

function parse({ text }: Source): Parsed {
  try {
    return { nodes: [...nodesIn(parseTypeScript(text))] }
  } catch (error) {
    const { line = 1 } = (error as { loc?: { line?: number } }).loc ?? {}
    return { errorLine: line }
  }
}

/** Returns the line of a node. */
export const lineOf = (node: SyntaxNode): number => (node['loc'] as { start: { line: number } }).start.line

/** An import of a module at run time. */
export interface Import {
  readonly at: SyntaxNode
  /** Null if the name of the module is not a literal. */
  readonly module: string | null
  /** The names that are imported. Null for all: `import * as`, `export *` and `import(…)`. */
  readonly names: readonly string[] | null
}

/** Returns the imports and the exports from other modules. Types are not imported at run time. */
export function importsOf(source: Source): Import[] {
  const file = parsed(source)
  return 'errorLine' in file ? [] : file.nodes.flatMap(importAt)
}

function importAt(at: SyntaxNode): Import[] {
  const { type, source, specifiers, importKind, exportKind } = at
  if (!IMPORTS.includes(type) || source === null || [importKind, exportKind].includes('type')) return []
  const names = (specifiers as SyntaxNode[] | undefined)?.map(nameIn)
  const isWhole = names === undefined || names.includes('*')
  return [{ at, module: textOf(source as SyntaxNode), names: isWhole ? null : names }]
}

const IMPORTS = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression']

/** Returns the name that the other module exports: `sql` for `sql as raw`. */
function nameIn({ type, imported, local }: SyntaxNode): string {
  if (type === 'ImportNamespaceSpecifier') return '*'
  if (type === 'ImportDefaultSpecifier') return 'default'
  const { name, value } = (type === 'ImportSpecifier' ? imported : local) as { name?: string; value?: string }
  return name ?? value ?? ''
}

/**
 * Returns the sources with all modules of the application that they import, directly or not. `#app/` is the
 * folder `app`. Imports whose name is not a literal are not followed.
 */
export function withImports(
  sources: readonly Source[],
  find: (file: string) => Source | undefined,
): Source[] {
  const found = new Map(sources.map((source) => [source.file, source]))
  // The iteration includes the entries that it adds.
  for (const source of found.values())
    for (const { module } of importsOf(source)) {
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
