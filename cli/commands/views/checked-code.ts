import type { DeclaredMail } from './mails.ts'
import { type Position, positionAt } from './position.ts'
import type { Tag, ViewSource } from './view-source.ts'

/** Code for TypeScript. `positionOf` returns where a position in it stands in the view. */
export interface CheckedCode {
  readonly text: string
  positionOf(position: Position): Position
}

/** The names that Eta declares in each view: a variable with one of them is an error. */
const NAMES = ['include', 'layout', 'block', 'capture', 'output', 'options'].join(', ')

/** The number of lines before the code of a view. */
export const HEAD_LINES = 5

/** Returns the JavaScript of a view: its tags in their order, as the body of a function. */
export function codeOf(
  name: string,
  { source, parts, declaration }: ViewSource,
  types: ViewTypes,
): CheckedCode {
  const file = new Written(source)
  const code = parts.map((part) => part?.code ?? '').join('\n')
  const comments = code.match(/\/\*\*[^]*?\*\//g) ?? []
  const imports = types
    .importsIn(
      comments.join(),
      declaration.imports.map(({ text }) => text),
    )
    .map((text) => `/** @import ${text} */`)
  file.add(
    `/** @import { ${dataName(name)} } from './${lastOf(name)}.data.ts' */ /** @import { ViewCode } from 'pergola/views' */`,
  )
  file.add(imports.join(' '))
  file.add(`/** @type {(code: ViewCode<'${name}', ${dataName(name)}>) => void} */`)
  file.add('export const view = ({ it, tags: $tags }) => {')
  file.add(`const { ${NAMES} } = $tags; void [it, ${NAMES}];`)
  for (const part of parts) addPart(file, part)
  file.add('};')
  return file
}

/** Returns the type of a view's data, which its declaration contains. Its name stands in the messages of TypeScript. */
export function dataOf(
  name: string,
  { source, declaration }: ViewSource,
  { types, mail }: { types: ViewTypes; mail: DeclaredMail | undefined },
): CheckedCode {
  const file = new Written(source)
  const { imports, type } = declaration
  const starts = new Map(imports.map(({ text, start }) => [text, start]))
  for (const text of types.importsIn(
    type?.text ?? '',
    imports.map(({ text }) => text),
  )) {
    file.add('import type')
    file.addFrom(text, starts.get(text) ?? starts.values().next().value ?? 0)
  }
  file.add(`export type ${dataName(name)} =`)
  if (type === null) file.add(NO_DATA)
  else file.addFrom(type.text, type.start)
  if (type !== null && mail) file.add(`export const sent: ${dataName(name)} = {} as ${mail.type}`)
  return file
}

/** Returns the name of the type of a view's data: `PostsIndex`. */
export const dataName = (name: string): string =>
  name.replaceAll(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_match, letter: string) => letter.toUpperCase())

/** An object with any property is not assignable to it. */
const NO_DATA = `{ readonly '(no data)'?: never }`

/** Which imports a text needs. */
export interface ViewTypes {
  importsIn(text: string, imports: readonly string[]): string[]
}

/** Returns which imports of a view, and which of these types, a text uses. The types have their entries of `pergola`. */
export const viewTypes = (types: ReadonlyMap<string, string>): ViewTypes => ({
  importsIn(text, imports) {
    const words = new Set(text.match(/\w+/g))
    const declared = new Set(imports.flatMap(namesIn))
    const used = [...types].filter(([name]) => words.has(name) && !declared.has(name))
    return [
      ...imports.flatMap((each) => usedOf(each, words)),
      ...used.map(([name, entry]) => `{ ${name} } from '${entry}'`),
    ]
  },
})

/** Returns the part of an import whose names are in `words`: nothing, `{ Post } from '…'`, or all of another form. */
function usedOf(text: string, words: ReadonlySet<string>): string[] {
  const names = namesIn(text).filter((name) => words.has(name))
  if (names.length === 0) return []
  return [
    text.startsWith('{') && !text.includes(' as ')
      ? text.replace(/\{[^}]*\}/, `{ ${names.join(', ')} }`)
      : text,
  ]
}

/** Returns the names of an import: `{ Post } from '#app/posts/post.ts'`. */
const namesIn = (text: string): readonly string[] => text.replace(/\sfrom\s[^]*/, '').match(/\w+/g) ?? []

function addPart(file: Written, part: Tag | null): void {
  // A text is a statement, as in the code that Eta compiles.
  if (part === null) return file.add(';')
  if (part.kind === 'code') return file.addFrom(part.code, part.start)
  file.add(`$tags.${part.kind}(`)
  // On one line, as in the code that Eta compiles: a comment hides the end of a tag.
  file.addFrom(`${part.code});`, part.start)
}

const isThere = <T>(value: T | null): value is T => value !== null

const lastOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)

/** A file that contains lines of another one. */
class Written implements CheckedCode {
  readonly #source: string
  readonly #lines: string[] = []
  /** The position of each line in the source: its line, and the number of characters before it. */
  readonly #origins: (Position | null)[] = []

  constructor(source: string) {
    this.#source = source
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`
  }

  add(...lines: readonly string[]): void {
    for (const line of lines) this.#push(line, null)
  }

  /** Adds a text that begins at an index of the source. */
  addFrom(text: string, start: number): void {
    const first = positionAt(this.#source, start)
    for (const [index, line] of text.split('\n').entries())
      this.#push(line, { line: first.line + index, column: index === 0 ? first.column - 1 : 0 })
  }

  #push(line: string, origin: Position | null): void {
    this.#lines.push(line)
    this.#origins.push(origin)
  }

  positionOf({ line, column }: Position): Position {
    const origin = this.#origins[line - 1]
    if (origin) return { line: origin.line, column: origin.column + column }
    // The error is in the code around a tag: the next line of the source is the one that it is about, or the last one.
    const next = this.#origins.slice(line - 1).find(isThere) ?? this.#origins.findLast(isThere)
    return next ? { line: next.line, column: next.column + 1 } : { line: 1, column: 1 }
  }
}
