/** The SQLSTATEs that the framework and the command line react to: appendix A of the Postgres manual. */
export const SqlState = {
  featureNotSupported: '0A000',
  restrictViolation: '23001',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  readOnlyTransaction: '25006',
  idleInTransactionTimeout: '25P03',
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  invalidCatalogName: '3D000',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  undefinedColumn: '42703',
  undefinedFunction: '42883',
  undefinedTable: '42P01',
  duplicateDatabase: '42P04',
  tooManyConnections: '53300',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
} as const
/** One of these codes. */
export type SqlState = (typeof SqlState)[keyof typeof SqlState]

/** The first two characters of a SQLSTATE, for errors that are handled as a class. */
export const SqlStateClass = {
  connectionException: '08',
  featureNotSupported: '0A',
  cardinalityViolation: '21',
  dataException: '22',
  constraintViolation: '23',
  invalidSchemaName: '3F',
  transactionRollback: '40',
  syntaxErrorOrAccessRule: '42',
  insufficientResources: '53',
  programLimitExceeded: '54',
  operatorIntervention: '57',
  raisedByFunction: 'P0',
} as const

/** Returns the SQLSTATE of a failed statement; null if the error is not one that Postgres reported. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && SQL_STATE.test(code) ? code : null
}

/** Yields the error and its causes, the outermost first. Each one once, although a cause may be its own. */
export function* causesOf(error: unknown): Generator<Error> {
  const seen = new Set<unknown>()
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause)
    yield cause
  }
}

/** Returns whether the error or one of its causes has this SQLSTATE. */
export const hasState = (error: unknown, state: SqlState): boolean =>
  causesOf(error).some((one) => sqlState(one) === state)

/** Returns whether the message of the error or of one of its causes matches. */
export const hasMessage = (error: unknown, pattern: RegExp): boolean =>
  causesOf(error).some(({ message }) => pattern.test(message))

/** `42P01`; not `EPIPE`, a code of Node. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/

/** Returns whether the server closed the connection after this error: a shutdown, a dropped database or a timeout. */
export const hasEndedConnection = (error: unknown): boolean =>
  /^(?:57P0\d|25P0[34])$/.test(sqlState(error) ?? '')

/** Returns whether the error or one of its causes is a serialization failure, a deadlock or a stale plan. */
export const isCollision = (error: unknown): boolean =>
  causesOf(error).some((one) => COLLISIONS.has(sqlState(one)) || isStalePlan(one))

const COLLISIONS = new Set<string | null>([SqlState.serializationFailure, SqlState.deadlockDetected])

/** Returns whether a named statement failed because a migration changed the type of a column. */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === SqlState.featureNotSupported &&
  hasMessage(error, /cached plan must not change result type/)

/** Returns whether Postgres rejected a value itself, such as a malformed uuid or a number out of range. */
export const isDataException = (error: unknown): boolean =>
  causesOf(error).some((one) => sqlState(one)?.startsWith(SqlStateClass.dataException))
