import { Conflict, type HttpError, InUse, Invalid, Unavailable } from '../http/errors.ts'

const EXACT: Record<string, () => HttpError> = {
  '23505': () => new Conflict(),
  '23503': () => new Conflict(),
  // What `on delete restrict` raises from PostgreSQL 18 on.
  '23001': () => new InUse(),
  '40001': () => new Unavailable(),
  '40P01': () => new Unavailable(),
  '55P03': () => new Unavailable(),
  '57014': () => new Unavailable(),
  '57P01': () => new Unavailable(),
  '57P02': () => new Unavailable(),
  '57P03': () => new Unavailable(),
  '25P03': () => new Unavailable(),
}

// 08 connection exceptions, 53 insufficient resources, 22 values that don't fit, 23 broken constraints.
const BY_CLASS: Record<string, () => HttpError> = {
  '08': () => new Unavailable(),
  '53': () => new Unavailable(),
  '22': () => new Invalid([{ field: '', messages: ['A value does not fit its column.'] }]),
  '23': () => new Invalid([{ field: '', messages: ['A value breaks a rule of the database.'] }]),
}

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
const DRIVER =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error|not queryable/

/**
 * Returns the `HttpError` for a failed statement, or null if the error is not one of the database: for `errorPage`.
 * A unique or foreign key violation is a `Conflict` (409), a check an `Invalid` (422), and a lost connection or a
 * timeout an `Unavailable` (503). The response never contains a row or a value.
 */
export function databaseFailure(error: unknown): HttpError | null {
  if (!(error instanceof Error)) return null
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string' && NETWORK.has(code)) return new Unavailable(error)
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) {
    return (EXACT[code] ?? BY_CLASS[code.slice(0, 2)])?.() ?? null
  }
  return DRIVER.test(error.message) ? new Unavailable(error) : null
}
