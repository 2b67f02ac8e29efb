import { SqlState, sqlState } from '../database/sql-states.ts'
import { InUse, Invalid } from '../http/errors.ts'
import type { ConstraintError, Resource } from '../resource/resource.ts'
import { failedRow } from './failed-row.ts'

/**
 * Returns a function that rethrows the error of a write. A violation of this table becomes `Invalid`: that of a unique key
 * with an error for each of its fields that clients may write, and that of a check with the error that the resource declares.
 * Other violations are for `databaseFailure`.
 */
export const rethrowViolation =
  (resource: Resource) =>
  (error: unknown): never => {
    const errors = constraintErrors(resource, error)
    if (errors.length === 0) throw error
    const row = failedRow(error)
    const end = row === undefined ? '.' : ` (${row}).`
    throw new Invalid(
      errors.map(({ field, message }) => ({ field, messages: [message.replace(/\.$/, end)] })),
    )
  }

function constraintErrors({ table, checks, input }: Resource, error: unknown): ConstraintError[] {
  const state = sqlState(error)
  if (state !== SqlState.uniqueViolation && state !== SqlState.checkViolation) return []
  const violation = error as { table?: unknown; detail?: unknown; constraint?: unknown }
  if (violation.table !== table.split('.').at(-1)) return []
  if (state === SqlState.checkViolation) return [checks[String(violation.constraint)] ?? []].flat()
  const fields = takenFields(input, String(violation.detail))
  const what = fields.length > 1 ? 'combination' : 'value'
  return fields.map((field) => ({ field, message: `This ${what} is already in use.` }))
}

function takenFields({ shape }: Resource['input'], detail: string): string[] {
  // `Key (author_id, slug)=(7, hops) already exists.`: the words around the key depend on the server's language.
  const [, key = ''] = /\((.+?)\)=\(/.exec(detail) ?? []
  const columns = new Set(key.match(/\w+/g))
  return Object.keys(shape).filter((column) => columns.has(column))
}

/** Rethrows the error of a deletion. It becomes `InUse` if other records refer to the row. */
export function rethrowInUse(error: unknown): never {
  throw REFERENCED.has(sqlState(error)) ? new InUse(error) : error
}

/** The codes of a violated foreign key. From Postgres 18 on, `on delete restrict` has its own code. */
const REFERENCED = new Set<string | null>([SqlState.foreignKeyViolation, SqlState.restrictViolation])
