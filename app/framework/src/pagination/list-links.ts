import { memoize } from '../resource/memoize.ts'

/** The path and the query of a list's URL. */
export interface ListAddress {
  /** A path on this site, without query. */
  readonly basePath: string
  /** With or without `?`. */
  readonly query?: string
}

/**
 * Returns the URL of the list with changed parameters. Each value in `changes` replaces the parameter, or is appended
 * if the URL doesn't have it; null removes it. The order and the encoding of the other parameters don't change.
 */
export function listHref(
  { basePath, query = '' }: ListAddress,
  changes: Readonly<Record<string, string | null>>,
): string {
  const { params, names } = parsedQuery(query)
  let search = ''
  const write = (name: string) => {
    const value = changes[name] ?? null
    if (value !== null) search += `&${name}=${encodeURIComponent(value)}`
  }
  for (const { text, name, isFirst } of params) {
    if (!Object.hasOwn(changes, name)) search += `&${text}`
    else if (isFirst) write(name)
  }
  for (const name of Object.keys(changes)) if (!names.has(name)) write(name)
  return search === '' ? basePath : `${basePath}?${search.slice(1)}`
}

/** Returns the decoded parameters except `names`, for the hidden fields of a form: the browser encodes them again. */
export const paramsBut = (
  query: string | undefined,
  names: readonly string[],
): (readonly [string, string])[] =>
  parsedQuery(query ?? '')
    .params.filter(({ name }) => !names.includes(name))
    .map(({ name, value }) => [name, value])

interface QueryParam {
  /** The undecoded text of the parameter. */
  readonly text: string
  readonly name: string
  readonly value: string
  /** False for the repetition of a parameter. */
  readonly isFirst: boolean
}

/** The number of queries that are kept parsed. All links of a page change the same query. */
const QUERIES = 10

const parsedQuery = memoize((query: string) => {
  const names = new Set<string>()
  const params = queryParts(query).map((text): QueryParam => {
    // Decoded as `pageRequest` does: `p%61ge` is `page`. The `&` preserves a leading `?`.
    const [[name, value] = ['', '']] = new URLSearchParams(`&${text}`)
    const isFirst = !names.has(name)
    names.add(name)
    return { text, name, value, isFirst }
  })
  return { params, names }
}, QUERIES)

// A browser doesn't send the parameters after an unencoded #.
const queryParts = (query: string): string[] =>
  query
    .replace(/^\?/, '')
    .replaceAll('#', '%23')
    .split('&')
    .filter((part) => part !== '')
