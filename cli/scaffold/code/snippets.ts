import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { capital, wordsOf } from '../read/names.ts'
import { pluralOf } from '../read/plurals.ts'

/** Returns a string literal in single quotes. */
export const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Returns a literal. */
export const literal = (value: string | number | boolean | object | null): string =>
  typeof value === 'string' ? quoted(value) : JSON.stringify(value)

export type Choice = readonly [value: string, text: string]

/** Returns code of choices: `[['draft', 'Draft'], ['published', 'Published']]`. */
export const optionsCode = (choices: readonly Choice[]): string =>
  `[${choices.map(([value, text]) => `[${quoted(value)}, ${quoted(text)}]`).join(', ')}]`

/** Returns the name of the constant with the values of an enum: `STATES`. */
export const constantOf = ({ name }: Field): string => pluralWords(name).join('_').toUpperCase()

/** Returns the name of a view's map from the ids of referenced records to their labels: `authors`. */
export function labelsNameOf({ name, type }: Field, { names }: Model): string {
  const [first = '', ...others] = type.isList ? wordsOf(name) : pluralWords(name)
  const camel = first + others.map(capital).join('')
  return [names.record, names.many].includes(camel) || VIEW_NAMES.has(camel) ? `${camel}ById` : camel
}

/** Names that views already use: the choices of a form, and Eta's options. */
const VIEW_NAMES = new Set(['choices', 'options'])

function pluralWords(name: string): string[] {
  const words = wordsOf(name)
  return words.map((word, at) => (at === words.length - 1 ? pluralOf(word) : word))
}

/** Returns the words for records that are not public because this field is false: labels, and the object of a sentence. */
export function closedWords({ name, label }: Field) {
  if (name === 'published') return { one: 'Draft', many: 'Drafts', object: 'drafts' }
  const not = `not ${label.toLowerCase().replace(/^(?:is|has been|was) /, '')}`
  return { one: capital(not), many: capital(not), object: `records that are ${not}` }
}

/** Returns an import: `import { posts } from './posts/post.repository.ts'`. */
export const importLine = (names: string, path: string): string => `import { ${names} } from '${path}'`

/** Returns the words after the title in the message after a deletion: `Post deleted.` */
export const deletedWords = ({ softDelete }: Model): string => (softDelete ? 'moved to the trash' : 'deleted')

/** Sorts import lines: packages, then files of the application, then files in the same folder. */
export const sortedImports = (lines: readonly string[]): string[] =>
  lines.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))

function orderOf(line: string): string {
  const path = line.slice(line.indexOf(" from '") + 7)
  return path.startsWith('#') || path.startsWith('.') ? `1${path}` : `0${path}`
}
