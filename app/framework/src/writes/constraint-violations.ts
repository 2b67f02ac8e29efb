import { SqlState, sqlState } from '../database/sql-states.ts'
import { InUse, Invalid } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'
import { failedRow } from './failed-row.ts'

/**
 * Returns a function that rethrows the error of a write. A unique violation of this table becomes `Invalid`, with an
 * error for each field of the key that clients may write. Without such a field, `databaseFailure` handles the
 * violation.
 */
export const rethrowTakenValue =
  (resource: Resource) =>
  (error: unknown): never => {
    const fields = takenFields(resource, error)
    if (fields.length === 0) throw error
    const [row, what] = [failedRow(error), fields.length > 1 ? 'combination' : 'value']
    const message = `This ${what} is already in use${row === undefined ? '' : ` (${row})`}.`
    throw new Invalid(fields.map((field) => ({ field, messages: [message] })))
  }

function takenFields({ table, input }: Resource, error: unknown): string[] {
  if (sqlState(error) !== SqlState.uniqueViolation) return []
  const violation = error as { table?: unknown; detail?: unknown }
  if (violation.table !== table.split('.').at(-1)) return []
  // `Key (author_id, slug)=(7, hops) already exists.`: the words around the key depend on the server's language.
  const [, key = ''] = /\((.+?)\)=\(/.exec(String(violation.detail)) ?? []
  const columns = new Set(key.match(/\w+/g))
  return Object.keys(input.shape).filter((column) => columns.has(column))
}

/** Rethrows the error of a deletion. It becomes `InUse` if other records refer to the row. */
export function rethrowInUse(error: unknown): never {
  throw REFERENCED.has(sqlState(error)) ? new InUse(error) : error
}

/** The codes of a violated foreign key. From Postgres 18 on, `on delete restrict` has its own code. */
const REFERENCED = new Set<string | null>([SqlState.foreignKeyViolation, SqlState.restrictViolation])
