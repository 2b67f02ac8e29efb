import type { Names } from '../model.ts'
import { pluralOf, singularOf } from './plurals.ts'

/**
 * Every form of a resource's name, from any of them: `blog_post`, `BlogPost`, `blog-post`, `blog_posts`. With `plural`
 * both are taken as they are. What it is given has letters, digits, `_`, `-` and spaces.
 */
export function namesOf(text: string, { plural }: { plural?: string | undefined } = {}): Names {
  const given = wordsOf(text)
  const one = plural === undefined ? withLast(given, singularOf) : given
  const many = plural === undefined ? withLast(one, pluralOf) : wordsOf(plural)
  return {
    resource: one.map(capital).join(''),
    one: camel(one),
    record: VARIABLES.has(camel(one)) ? `${camel(one)}Record` : camel(one),
    // Where the plural is the same, the repository needs a name that a record doesn't have.
    many: camel(many) === camel(one) || VARIABLES.has(camel(many)) ? `${camel(one)}List` : camel(many),
    file: one.join('-'),
    folder: many.join('-'),
    table: many.join('_'),
    human: one.join(' '),
    humans: many.join(' '),
    title: capital(one.join(' ')),
    titles: capital(many.join(' ')),
  }
}

/** What the code, the views or the tests of every resource call something else: a record of the name would hide it. */
const VARIABLES = new Set(
  (
    'admin answer app asset autofocus choices ctx error etag excerpt filters flash form include input is it layout made make ' +
    'may me member nav owner page path query readers req res state status stored stranger swap title userIds values'
  ).split(' '),
)

/** The words of a name in any case, in small letters: `HTTPLog`, `http_log` and `http-log` are `http` and `log`. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
}

/** The name that a field of the command line begins with, in snake_case. */
export const fieldNameIn = (token: string): string => wordsOf(token.replace(/[^\w-].*/s, '')).join('_')

const withLast = (words: readonly string[], change: (word: string) => string): string[] =>
  words.map((word, at) => (at === words.length - 1 ? change(word) : word))

const camel = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 ? word : capital(word))).join('')

/** With a capital letter first. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `a book`, `an entry`, `a user`: by how the words sound. */
export const withArticle = (words: string): string =>
  `${/^(?:[aeio]|u(?!ni|s|ti))/.test(words) ? 'an' : 'a'} ${words}`
