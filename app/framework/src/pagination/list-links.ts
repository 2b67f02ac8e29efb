/** Where a list stands, and the query it was asked with. */
export interface ListAddress {
  /** A path on this site, without query. */
  readonly basePath: string
  /** With or without `?`. */
  readonly query?: string
}

/**
 * The same list asked for otherwise: the parameters of `changes` are replaced where they stand, or added; null takes one
 * out. Every other parameter stays byte for byte, and in order.
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

/** Returns the decoded parameters except some, for the hidden fields of a form, which encodes them again. */
export const paramsBut = (
  query: string | undefined,
  names: readonly string[],
): [name: string, value: string][] =>
  queryParts(query)
    .flatMap(paramsOf)
    .filter(([name]) => !names.includes(name))

// A bare # would end the query there, and what stands behind it would never be sent.
const queryParts = (query = ''): string[] =>
  query
    .replace(/^\?/, '')
    .replaceAll('#', '%23')
    .split('&')
    .filter((part) => part !== '')

/** As `pageRequest` reads it: `p%61ge` is `page`. The `&` keeps a leading `?` part of the name. */
const paramsOf = (part: string) => [...new URLSearchParams(`&${part}`)]
