import { SqlState, sqlState } from 'pergola'

/** For `catch`: replaces a failed connection or a missing database by an error that tells the user what to do. */
export function describeConnectionError(error: unknown): unknown {
  if (isUnreachable(error)) return new Error(UNREACHABLE, { cause: error })
  if (!isMissing(error)) return error
  return new Error(`${error.message}. Create it with npx cli db prepare, or correct DATABASE_URL.`)
}

/** Whether the server responded that the database does not exist. */
const isMissing = (error: unknown): error is Error => sqlState(error) === SqlState.invalidCatalogName

const UNREACHABLE = 'Could not connect to the database. Start it, or correct DATABASE_URL'

/** A host with several addresses fails with an AggregateError, which contains one error per address. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(isUnreachable)
    : ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')
