import { folderFor, routesFor, typeFor, variableFor } from './code-names.ts'
import { pluralOf, singularOf } from './plurals.ts'

/** Every form of a resource's name. For `blog_post`: */
export interface Names {
  /** `BlogPost`: the name of the resource. */
  readonly resource: string
  /** `BlogPost`: its constant, and the type of its rows; `ErrorRecord` if `Error` is another type. */
  readonly type: string
  /** `blogPost`: the beginning of `blogPostPolicy`, `blogPostScope` and `blogPostRoutes`; `accountRecord` for `account`. */
  readonly one: string
  /** `blogPost`: the variable of one record; `pageRecord` if `page` is another variable. */
  readonly record: string
  /** `blogPosts`: the repository; `sheepList` if the plural is the singular. */
  readonly many: string
  /** `blog-post`: the beginning of file names. */
  readonly file: string
  /** `blog-posts`: the folder in `app/` and `views/`, and the path of the routes; `job-records` for `jobs`. */
  readonly folder: string
  /** `blog_posts` */
  readonly table: string
  /** `blog post` and `blog posts`, within a sentence. */
  readonly human: string
  readonly humans: string
  /** `Blog post` and `Blog posts`, at the beginning of a sentence. */
  readonly title: string
  readonly titles: string
}

/**
 * Returns every form of a name, from any form: `blog_post`, `BlogPost`, `blog-post`, `blog_posts`. With `plural`, `text`
 * is the singular. Both can contain letters, digits, `_`, `-` and spaces.
 */
export function namesOf(text: string, { plural }: { plural?: string | undefined } = {}): Names {
  const words = wordsOf(text)
  const one = plural === undefined ? withLast(words, singularOf) : words
  const many = plural === undefined ? withLast(one, pluralOf) : wordsOf(plural)
  const resource = one.map(capital).join('')
  return {
    resource,
    type: typeFor(resource),
    one: routesFor(camel(one)),
    record: variableFor(camel(one), 'Record'),
    // If the plural equals the singular, the repository and a record need different names.
    many: isFree(camel(many)) && camel(many) !== camel(one) ? camel(many) : `${camel(one)}List`,
    file: one.join('-'),
    folder: folderFor(many.join('-'), one.join('-')),
    table: many.join('_'),
    human: one.join(' '),
    humans: many.join(' '),
    title: capital(one.join(' ')),
    titles: capital(many.join(' ')),
  }
}

/** Returns the words of a name in lower case: `http` and `log` for `HTTPLog`, `http_log` and `http-log`. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
}

/** Returns the name at the beginning of a field on the command line, in snake_case. */
export const fieldNameIn = (token: string): string => wordsOf(token.replace(/[^\w-].*/s, '')).join('_')

const isFree = (variable: string): boolean => variableFor(variable, 'List') === variable

const withLast = (words: readonly string[], change: (word: string) => string): string[] =>
  words.map((word, at) => (at === words.length - 1 ? change(word) : word))

export const camel = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 ? word : capital(word))).join('')

/** Returns the text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Adds an indefinite article by the sound of the first word: `a book`, `an entry`, `a user`. */
export const withArticle = (words: string): string =>
  `${/^(?:hour|hono|heir|[ai]|e(?!u)|o(?!ne|nce)|u(?!ni|s|ti))/.test(words) ? 'an' : 'a'} ${words}`
