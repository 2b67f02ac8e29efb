import { SqlState, sqlState } from '../database/sql-states.ts'

/** Returns an error with the remedy if `create extension` failed; null for any other error. */
export function extensionError(error: unknown): Error | null {
  const { message } = error as Error
  const [, name] = /extension "([^"]+)"/.exec(message) ?? []
  const remedy = REMEDIES.get(sqlState(error))
  return name === undefined || remedy === undefined ? null : new Error(`${message}. ${remedy(name)}`)
}

const REMEDIES = new Map<string | null, (name: string) => string>([
  [
    SqlState.insufficientPrivilege,
    (name) =>
      `Run this statement in the database as its owner or as a superuser, then migrate again: create extension "${name}"`,
  ],
  [
    SqlState.featureNotSupported,
    (name) =>
      `Install ${name} on the database server, where it is one of the additional modules (postgresql-contrib), then migrate again`,
  ],
])
