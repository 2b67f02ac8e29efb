import { SqlState, sqlState } from 'pergola'

/** For `catch`: that no server answers, or that it has no such database, with what to do about it. */
export function absenceInWords(error: unknown): unknown {
  if (isAbsent(error)) return new Error(NOBODY_THERE, { cause: error })
  if (!isMissing(error)) return error
  return new Error(`${error.message}. Create it with npx cli db prepare, or correct DATABASE_URL.`)
}

/** The server answers, and has no such database. */
const isMissing = (error: unknown): error is Error => sqlState(error) === SqlState.invalidCatalogName

const NOBODY_THERE = 'The database does not answer. Start it, or correct DATABASE_URL'

/** Of a host with several addresses each fails, and all are told as one. */
const isAbsent = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(isAbsent)
    : ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')
