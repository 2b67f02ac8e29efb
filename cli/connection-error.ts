import { SqlState, sqlState } from 'pergola'

/** Returns an error that contains the fix for a failed connection or a missing database. Returns other errors unchanged. */
export function describeConnectionError(error: unknown): unknown {
  if (failedToConnect(error)) return new Error(UNREACHABLE, { cause: error })
  if (!isMissing(error)) return error
  return new Error(`${error.message}. Create it with npx cli db prepare, or correct DATABASE_URL.`)
}

/** Returns whether the server responded that the database does not exist. */
const isMissing = (error: unknown): error is Error => sqlState(error) === SqlState.invalidCatalogName

const UNREACHABLE = 'Could not connect to the database. Start it, or correct DATABASE_URL'

/** A host with several addresses fails with an AggregateError, which contains one error per address. */
const failedToConnect = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(failedToConnect)
    : ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')
