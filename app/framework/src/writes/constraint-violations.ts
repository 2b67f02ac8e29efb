import { isDataException, SqlState, sqlState } from '../database/sql-states.ts'
import { type FieldError, InUse, Invalid } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'
import { computedColumns } from '../rows/computed-columns.ts'
import { failedRow } from './failed-row.ts'

/**
 * Returns a function that rethrows the error of a write. A unique violation of this table becomes `Invalid`, with an
 * error for each field of the key that clients may write, and so does a value that doesn't fit, with an error for each
 * computed column. Without such a field, `databaseFailure` handles the error.
 */
export const rethrowInvalid =
  (resource: Resource) =>
  async (error: unknown): Promise<never> => {
    const isOwn = (error as { table?: unknown }).table === nameOf(resource)
    const errors = isOwn
      ? [...takenValues(resource, error), ...(await uncomputedValues(resource, error))]
      : []
    throw errors.length === 0 ? error : new Invalid(errors)
  }

function takenValues({ input }: Resource, error: unknown): FieldError[] {
  if (sqlState(error) !== SqlState.uniqueViolation) return []
  // `Key (author_id, slug)=(7, hops) already exists.`: the words around the key depend on the server's language.
  const [, key = ''] = /\((.+?)\)=\(/.exec(String((error as { detail?: unknown }).detail)) ?? []
  const columns = new Set(key.match(/\w+/g))
  const fields = Object.keys(input.shape).filter((column) => columns.has(column))
  const [row, what] = [failedRow(error), fields.length > 1 ? 'combination' : 'value']
  const message = `This ${what} is already in use${row === undefined ? '' : ` (${row})`}.`
  return fields.map((field) => ({ field, messages: [message] }))
}

async function uncomputedValues(resource: Resource, error: unknown): Promise<FieldError[]> {
  if (!isDataException(error)) return []
  // Within a transaction, which has failed, the catalogue can't be read.
  const fields = await computedColumns(resource).catch(() => [])
  const what = fields.length > 1 ? 'One of these values' : 'This value'
  return fields.map((field) => ({ field, messages: [`${what} can’t be computed from this input.`] }))
}

/** Rethrows the error of an insert or an update. Postgres names the table of a violated constraint only. */
export const rethrowWithTable =
  (resource: Resource) =>
  (error: unknown): never => {
    throw isDataException(error) ? Object.assign(error as Error, { table: nameOf(resource) }) : error
  }

/** Returns the name of the table as in the errors of Postgres, without its schema. */
const nameOf = ({ table }: Resource) => table.split('.').at(-1)

/** Rethrows the error of a deletion. It becomes `InUse` if other records refer to the row. */
export function rethrowInUse(error: unknown): never {
  throw REFERENCED.has(sqlState(error)) ? new InUse(error) : error
}

/** The codes of a violated foreign key. From Postgres 18 on, `on delete restrict` has its own code. */
const REFERENCED = new Set<string | null>([SqlState.foreignKeyViolation, SqlState.restrictViolation])
