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
  { basePath, query }: ListAddress,
  changes: Readonly<Record<string, string | null>>,
): string {
  const remaining = new Map(Object.entries(changes))
  const written = (name: string): string[] => {
    const value = remaining.get(name) ?? null
    remaining.delete(name)
    return value === null ? [] : [`${name}=${encodeURIComponent(value)}`]
  }
  const kept = queryParts(query).flatMap((part) => {
    const name = paramsOf(part)
      .map(([name]) => name)
      .join()
    return Object.hasOwn(changes, name) ? written(name) : [part]
  })
  const parts = [...kept, ...[...remaining.keys()].flatMap(written)]
  return parts.length === 0 ? basePath : `${basePath}?${parts.join('&')}`
}

/** Returns the decoded parameters except `names`, for the hidden fields of a form: the browser encodes them again. */
export const paramsBut = (
  query: string | undefined,
  names: readonly string[],
): [name: string, value: string][] =>
  queryParts(query)
    .flatMap(paramsOf)
    .filter(([name]) => !names.includes(name))

// A browser doesn't send the parameters after an unencoded #.
const queryParts = (query = ''): string[] =>
  query
    .replace(/^\?/, '')
    .replaceAll('#', '%23')
    .split('&')
    .filter((part) => part !== '')

/** Decodes a part of a query as `pageRequest` does: `p%61ge` is `page`. The `&` preserves a leading `?`. */
const paramsOf = (part: string) => [...new URLSearchParams(`&${part}`)]
