import { Conflict, type HttpError, InUse, Invalid, Unavailable } from '../http/errors.ts'
import { causesOf, hasEndedConnection, SqlState, sqlState, SqlStateClass } from './sql-states.ts'

/** The errors by SQLSTATE, or by its class for the others. */
const FAILURES: Record<string, () => HttpError> = {
  [SqlState.uniqueViolation]: () => new Conflict(),
  [SqlState.foreignKeyViolation]: () => new Conflict(),
  // Raised by `on delete restrict` from Postgres 18 on.
  [SqlState.restrictViolation]: () => new InUse(),
  [SqlState.lockNotAvailable]: () => new Unavailable(),
  [SqlState.readOnlyTransaction]: () => new Unavailable(),
  [SqlState.idleInTransactionTimeout]: () => new Unavailable(),
  [SqlStateClass.connectionException]: () => new Unavailable(),
  [SqlStateClass.transactionRollback]: () => new Unavailable(),
  [SqlStateClass.insufficientResources]: () => new Unavailable(),
  [SqlStateClass.operatorIntervention]: () => new Unavailable(),
  [SqlStateClass.dataException]: () =>
    new Invalid([{ field: '', messages: ['A value does not fit its column.'] }]),
  [SqlStateClass.constraintViolation]: () =>
    new Invalid([{ field: '', messages: ['A value violates a constraint of the database.'] }]),
}

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const DRIVER =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error|not queryable/

/**
 * Returns the `HttpError` for a failed statement, or null if the error is not from the database: for `errorPage`.
 * A unique or foreign key violation is a `Conflict` (409), a check an `Invalid` (422), and a lost connection or a
 * timeout an `Unavailable` (503). The response never contains a row or a value.
 */
export function databaseFailure(error: unknown): HttpError | null {
  if (!(error instanceof Error)) return null
  if (isNetworkFailure(error)) return new Unavailable(error)
  const state = sqlState(error)
  if (state !== null) return (FAILURES[state] ?? FAILURES[state.slice(0, 2)])?.() ?? null
  return DRIVER.test(error.message) ? new Unavailable(error) : null
}

/**
 * Returns whether an error or one of its causes means that the connection broke or could not be opened: after it, an open
 * transaction is rolled back, unless it was being committed.
 */
export const isConnectionLoss = (error: unknown): boolean =>
  causesOf(error).some(
    (one) =>
      isNetworkFailure(one) ||
      sqlState(one)?.startsWith(SqlStateClass.connectionException) ||
      hasEndedConnection(one) ||
      DRIVER.test(one.message),
  )

/** Returns whether the network failed. While Postgres is down, its Unix socket doesn't exist (`ENOENT`). */
function isNetworkFailure({ code, syscall }: NodeJS.ErrnoException): boolean {
  return NETWORK.has(code ?? '') || syscall === 'connect'
}

/**
 * Returns the error of a list whose statement failed: `Unavailable` (503), or an error without a status (500) if
 * Postgres rejected the SQL or a value, because the same statement would fail again. The cause is the original error.
 */
export function listFailure(error: unknown): Error {
  if (!(error instanceof RangeError) && !isWrongSql(error)) return new Unavailable(error)
  return new Error('A list could not be read: its SQL or one of its values is invalid.', { cause: error })
}

/** Returns whether Postgres rejected a statement or one of its values, so that it would fail again. */
export const isWrongSql = (error: unknown): boolean => WRONG_SQL.has(sqlState(error)?.slice(0, 2) ?? '')

/** The classes of SQLSTATEs that show a mistake in a statement. */
const WRONG_SQL = new Set<string>([
  SqlStateClass.featureNotSupported,
  SqlStateClass.cardinalityViolation,
  SqlStateClass.dataException,
  SqlStateClass.invalidSchemaName,
  SqlStateClass.syntaxErrorOrAccessRule,
  SqlStateClass.programLimitExceeded,
  SqlStateClass.raisedByFunction,
])
