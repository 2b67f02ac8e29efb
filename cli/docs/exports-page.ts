import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from '../test/tools.ts'
import { type Declaration, declarationsOf } from './declarations.ts'
import { codeBlock } from './markdown.ts'

const folder = join(root, 'app/framework')

/** An entry of the package of the framework. */
export interface Entry {
  /** Its name in an import: `pergola/mail`. */
  readonly specifier: string
  readonly path: string
  readonly text: string
}

export function frameworkEntries(): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, string>
  }
  return Object.entries(exports).map(([entry, path]) => ({
    specifier: name + entry.slice(1),
    path,
    text: readFileSync(join(folder, path), 'utf8'),
  }))
}

/** Returns the pages about the exports of the framework, one for each entry of its package. */
export function exportsPages(): Map<string, string> {
  const entries = frameworkEntries()
  const declarations = declarationsOf(
    folder,
    entries.map(({ path }) => path),
  )
  return new Map(
    entries.map((entry) => [
      `${entry.specifier.replaceAll('/', '-')}.md`,
      [`# ${entry.specifier}`, textOf(entry), ...sectionsOf(entry, declarations)].join('\n\n'),
    ]),
  )
}

/** Returns the docstring of an entry file. */
const textOf = ({ text }: Entry): string =>
  (/^\/\*\*\s*(.*?)\s*\*\//s.exec(text)?.[1] ?? '').replaceAll(/^ *\* ?/gm, '')

/** Matches a comment above exports, or `export { type Page, toPage } from './page.ts'`. */
const PARTS =
  /^\/\/ (?<title>.*)\n(?=export )|^export (?:type )?\{(?<names>[^}]*)\} from ['"](?<from>[^'"]+)/gm

/** Returns the names that an entry exports, below the comments that group them. */
const sectionsOf = ({ path, text }: Entry, declarations: readonly Declaration[]): string[] =>
  [...text.matchAll(PARTS)].flatMap(({ groups }) => {
    const { title, names = '', from = '' } = groups as Record<string, string | undefined>
    if (title !== undefined) return [`## ${title}`]
    const file = posix.join(posix.dirname(path), from).replace(/\.[jt]s$/, '')
    return namesIn(names).map((name) => {
      const own = declarations.filter((one) => one.file === file && one.name === name)
      if (own.length === 0) throw new Error(`${file}.ts doesn't declare ${name}, which ${path} exports.`)
      return `### ${name}\n\n${codeBlock('ts', withOptions(own, declarations))}`
    })
  })

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')

/** Returns the names that an entry exports. */
export const exportedNames = ({ text }: Entry): string[] =>
  [...text.matchAll(PARTS)].flatMap(({ groups }) => namesIn(groups?.['names'] ?? ''))

const publicNames = new Set(frameworkEntries().flatMap(exportedNames))
const OPTION_TYPE = /\b[A-Z]\w*(?:Options?|Settings|Parts|Verbs)\b/g

/** Returns the code of declarations, and of the types of options that they mention and no entry exports. */
function withOptions(own: readonly Declaration[], declarations: readonly Declaration[]): string {
  const codes = new Set(own.map(({ code }) => code))
  // A loop over a set also visits what is added meanwhile: the types that these types mention.
  for (const code of codes)
    for (const name of code.match(OPTION_TYPE) ?? []) {
      const type = declarations.find((one) => one.name === name && !publicNames.has(name))
      if (type !== undefined) codes.add(type.code)
    }
  return [...codes].join('\n\n')
}
