/** A request, or an object with its URL. */
export interface ListUrl {
  readonly originalUrl: string
}

export interface OfList {
  /** Begins the names of its parameters, for several lists on a page: `comments` reads `comments_page`. */
  readonly prefix?: string | undefined
}

/**
 * The name of a list's parameter: `page`, or `comments_page` with the prefix of one of several lists on a page.
 * Throws where the prefix has anything but letters, digits, `-` and `_`.
 */
export function listParam(name: string, prefix?: string): string {
  if (prefix === undefined) return name
  if (/^[\w-]+$/.test(prefix)) return `${prefix}_${name}`
  throw new Error(
    `A list's prefix is made of letters, digits, - and _, like 'comments'; got ${JSON.stringify(prefix)}`,
  )
}

/** Reads every value that the address gives a parameter of a list, in order. */
export function listParams({ originalUrl }: ListUrl, { prefix }: OfList = {}): (name: string) => string[] {
  // The address itself, not req.query: what that holds depends on the application's query parser.
  // The & keeps a second ? part of the first name.
  const params = new URLSearchParams(originalUrl.replace(/^[^?]*\??/, '&'))
  return (name) => params.getAll(listParam(name, prefix))
}
