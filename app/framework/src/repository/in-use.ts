import { InUse } from '../http/errors.ts'

/** A foreign key, which may be `on delete restrict`: Postgres 18 has an error code of its own for that. */
const REFERRED_TO = new Set<unknown>(['23503', '23001'])

/** Runs a deletion; throws `InUse`, with what the database said as its cause, where others refer to the row. */
export async function unlessInUse<Result>(remove: () => Promise<Result>): Promise<Result> {
  try {
    return await remove()
  } catch (error) {
    const { code } = (error ?? {}) as { code?: unknown }
    throw REFERRED_TO.has(code) ? new InUse(error) : error
  }
}
