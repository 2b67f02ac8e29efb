import { memoize } from '../resource/memoize.ts'

/** A request, or an object with its URL. */
export interface ListUrl {
  readonly originalUrl: string
}

export interface OfList {
  /** The prefix of the parameters, for a page with several lists: `comments` stands for `comments_page` and so on. */
  readonly prefix?: string | undefined
}

/**
 * Returns the name of a list's parameter: `page`, or `comments_page` with the prefix `comments`. Throws if the prefix
 * contains characters other than letters, digits, `-` and `_`.
 */
export function listParam(name: string, prefix?: string): string {
  if (prefix === undefined) return name
  if (/^[\w-]+$/.test(prefix)) return `${prefix}_${name}`
  throw new Error(
    `The prefix of a list is ${JSON.stringify(prefix)}. Use letters, digits, - and _, as in 'comments'.`,
  )
}

/** Returns a function that returns all values of one parameter of a list in the URL, in order. */
export function listParams({ originalUrl }: ListUrl, { prefix }: OfList = {}): (name: string) => string[] {
  const params = paramsOf(originalUrl)
  return (name) => params.getAll(listParam(name, prefix))
}

/** The number of URLs whose parameters are kept. The page and the query of a list are read from the same one. */
const URLS = 10

// Reads the URL, because req.query depends on the application's query parser. Without the &, URLSearchParams would
// remove a second ? from the first name.
export const paramsOf = memoize(
  (originalUrl: string) => new URLSearchParams(originalUrl.replace(/^[^?]*\??/, '&')),
  URLS,
)
