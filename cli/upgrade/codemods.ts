import { posix } from 'node:path'
import { check, format, resolveConfig } from 'prettier'
import { digestOf } from '../project/file-text.ts'
import { RESOURCE_LIST } from '../scaffold/project/resource-list.ts'
import { type Blob, sameContent, textOf, type Tree, withText } from './tree.ts'

/** The renames of a version, which an upgrade applies to the application's code. `codemods.json` lists them. */
export interface Codemod {
  readonly version: string
  /** New module specifiers by old ones, like `#app/test/probe.ts`. A relative import matches its form with `#app/`. */
  readonly modules: Readonly<Record<string, string>>
  /** Exports that moved to another module: for each old specifier, the new specifier by export name. */
  readonly names?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Whether the list of resources names its route tables: `routes: { postRoutes }` instead of `routes: postRoutes`. */
  readonly namesRoutes?: boolean
}

export const CODEMODS = 'cli/upgrade/codemods.json'

/** Returns the codemods that only the new version has. */
export function codemodsBetween(base: Tree, theirs: Tree): Codemod[] {
  const previous = new Set(codemodsIn(base).map((codemod) => JSON.stringify(codemod)))
  return codemodsIn(theirs).filter((codemod) => !previous.has(JSON.stringify(codemod)))
}

function codemodsIn(tree: Tree): Codemod[] {
  const blob = tree.get(CODEMODS)
  return blob === undefined ? [] : (JSON.parse(textOf(blob) ?? '[]') as Codemod[])
}

/** The code before a module specifier. Other strings don't match, like the one in `querySelector('#framework')`. */
const BEFORE = [
  /\b(?:from|import|declare\s+module)/,
  /\b(?:import|require|require\.resolve|import\.meta\.resolve)\s*\(/,
  /\bvi\s*\.\s*(?:\w*[mM]ock|importActual)(?:<[^()]*(?:\([^()]*\)[^()]*)?>)?\s*\(/,
]
const LITERAL = /(['"`])((?:#|\.\.?\/)[\w./@-]+)\1/
const SPECIFIER = new RegExp(
  `(?<=(?:${BEFORE.map(({ source }) => source).join('|')})\\s*)${LITERAL.source}`,
  'g',
)

/** A fenced code block in Markdown. */
const FENCED = /^([ \t>]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t>]*\2/gm

/** Returns the text with the new specifiers. Changes only the code blocks of Markdown. */
export function rewritten(path: string, text: string, codemods: readonly Codemod[]): string {
  const rewrite = (code: string) => rewrittenCode(path, code, codemods)
  return path.endsWith('.md') ? text.replaceAll(FENCED, rewrite) : rewrite(text)
}

function rewrittenCode(path: string, text: string, codemods: readonly Codemod[]): string {
  return codemods.reduce((code, { modules, names = {}, namesRoutes = false }) => {
    const list = namesRoutes && path === RESOURCE_LIST ? namedRoutes(code) : code
    return movedNames(list, names).replaceAll(SPECIFIER, (literal, quote: string, specifier: string) => {
      const replacement = modules[absolute(path, specifier)]
      return replacement === undefined ? literal : `${quote}${replacement}${quote}`
    })
  }, text)
}

const TABLES = /\broutes: (?:(\w+)|\[([\w\s,]+?),?\s*\])(?=\s*[,}])/g

const namedRoutes = (code: string): string =>
  code.replaceAll(TABLES, (_all, table?: string, tables = '') => `routes: { ${table ?? tables.trim()} }`)

/** `import { type One, two as other } from 'module'` */
const IMPORT = /^(import|export) (type )?\{([^}]*)\} from (['"])([^'"]+)\4(;?)$/gm

/** Splits an import or export if another module now exports some of its names: one statement per module. */
const movedNames = (code: string, moves: Required<Codemod>['names']): string =>
  code.replaceAll(IMPORT, (...match: (string | undefined)[]) => {
    const [statement = '', verb, type = '', list = '', quote, specifier = '', end] = match
    const places = moves[specifier] ?? {}
    const placeOf = (part: string) => places[part.replace(/^type /, '').split(' ')[0] ?? ''] ?? specifier
    const parts = list.split(',').map((part) => part.trim().replaceAll(/\s+/g, ' '))
    const groups = Map.groupBy(parts.filter(Boolean), placeOf)
    if ([...groups.keys()].every((place) => place === specifier)) return statement
    const lines = [...groups].map(
      ([place, names]) => `${verb} ${type}{ ${names.join(', ')} } from ${quote}${place}${quote}${end}`,
    )
    return lines.join('\n')
  })

/** Converts a relative specifier: `../test/probe.ts` in app/posts/post.test.ts becomes `#app/test/probe.ts`. */
function absolute(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier
  const file = posix.join(posix.dirname(path), specifier)
  return file.startsWith('app/') ? `#${file}` : specifier
}

const CODE = /\.(?:[cm]?[jt]sx?|md)$/

/**
 * Applies the codemods to the old version and to the application. Both need the new names, because the merge treats every
 * difference between them as an edit. Formats an edited file again if it was formatted, and updates the digests in
 * `scaffold.json`.
 */
export async function applyCodemods(
  { base, ours }: { base: Tree; ours: Tree },
  codemods: readonly Codemod[],
  root: string,
): Promise<{ base: Tree; ours: Tree }> {
  if (codemods.length === 0) return { base, ours }
  const isEdited = (path: string) => {
    const [old, own] = [base.get(path), ours.get(path)]
    return own !== undefined && (old === undefined || !sameContent(old, own))
  }
  const apply = async (tree: Tree): Promise<Tree> => {
    const digests = new Map<string, string>()
    const after = new Map<string, Blob>()
    for (const [path, blob] of tree) {
      const text = CODE.test(path) ? textOf(blob) : null
      const code = text === null ? null : rewritten(path, text, codemods)
      if (text === null || code === null || code === text) after.set(path, blob)
      else {
        const final = isEdited(path) ? await formattedLike(posix.join(root, path), text, code) : code
        after.set(path, withText(blob, final))
        digests.set(digestOf(text), digestOf(final))
      }
    }
    for (const [path, blob] of after)
      if (path.endsWith('/scaffold.json')) after.set(path, withDigests(blob, digests))
    return after
  }
  return { base: await apply(base), ours: await apply(ours) }
}

function withDigests(blob: Blob, digests: ReadonlyMap<string, string>): Blob {
  const text = textOf(blob) ?? ''
  const after = text.replaceAll(/\b[0-9a-f]{64}\b/g, (digest) => digests.get(digest) ?? digest)
  return after === text ? blob : withText(blob, after)
}

/** Formats the new code if the old code was formatted, because a shorter name can change the line breaks. */
export async function formattedLike(file: string, before: string, after: string): Promise<string> {
  const config = { ...(await resolveConfig(file, { editorconfig: true })), filepath: file }
  try {
    return (await check(before, config)) ? await format(after, config) : after
  } catch {
    // Prettier can't parse the file, so it was not formatted either.
    return after
  }
}
