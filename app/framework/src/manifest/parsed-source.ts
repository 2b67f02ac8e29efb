import { nodesIn, parseTypeScript, type SyntaxNode } from './syntax-tree.ts'

/** The text of a source file of the application. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** The nodes of a source file, or the line of its first syntax error. */
type Parsed = { readonly nodes: readonly SyntaxNode[] } | { readonly errorLine: number }

/** In place of the content of a file that doesn't parse. Such a file may contain any use, so it is always listed. */
export const UNREADABLE = '(a file that does not parse)'

const parsedSources = new WeakMap<Source, Parsed>()

/** Returns the nodes of a source file, or the line of its syntax error. Parses each source object once. */
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
