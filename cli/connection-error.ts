import { describeRefusedUrl } from '#app/db/connection-error.ts'

/** Returns an error that contains the fix for a failed or refused connection. Returns other errors unchanged. */
export function describeConnectionError(error: unknown): unknown {
  if (failedToConnect(error)) return new Error(UNREACHABLE, { cause: error })
  return describeRefusedUrl(error)
}

const UNREACHABLE = 'Could not connect to the database. Start it, or correct DATABASE_URL'

/** A host with several addresses fails with an AggregateError, which contains one error per address. */
const failedToConnect = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(failedToConnect)
    : ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')
