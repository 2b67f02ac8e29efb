import type { IncomingMessage } from 'node:http'

/** Returns the pattern of the request's route, such as `/posts/:id`. Undefined if no route has its path. */
export const routeOf = (req: IncomingMessage): string | undefined =>
  (req as { route?: { readonly path: string } }).route?.path

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Returns the method of a request. `_OTHER`, as the conventions have it, for one that no route has. */
export const methodOf = ({ method = '' }: IncomingMessage): string =>
  METHODS.has(method) ? method : '_OTHER'

/** Returns the SQLSTATE of a database error, or the name of another one. Never its message, which can contain values. */
export function errorType(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code
  return typeof name === 'string' ? name : '_OTHER'
}

/** Returns the operation of a statement without literals, and its first table: `select posts`. */
export function summaryOf(text: string): string {
  const operation = operationOf(text)
  const [, table] = /\b(?:from|into|update) "?([\w.]+)"?/i.exec(text) ?? []
  return table === undefined ? operation : `${operation} ${table}`
}

/** Returns the first word of a statement, such as `select`. */
export const operationOf = (text: string): string => /^\W*(\w{1,20})/.exec(text)?.[1]?.toLowerCase() ?? ''

/** Returns the SQL without literals, since code of the application can have written values into it. */
export const withoutLiterals = (text: string): string =>
  text.includes("'") ? text.replaceAll(/'(?:[^']|'')*'/g, '?') : text
