import { Invalid } from '../http/errors.ts'
import type { Resource } from '../resource/resource.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * Runs a write. Where another record has a value already that must be its own, it throws `Invalid`, which names the fields
 * of the input that hold it; whatever is unique about other columns stays the database's failure.
 */
export async function unlessTaken<Result>(resource: Resource, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const fields = takenFields(resource, error)
    if (fields.length === 0) throw error
    throw new Invalid(fields.map((field) => ({ field, messages: ['Is taken already.'] })))
  }
}

function takenFields({ table, input }: Resource, error: unknown): string[] {
  const failed = error as { code?: unknown; table?: unknown; detail?: unknown } | null
  if (failed?.code !== UNIQUE_VIOLATION || failed.table !== table.split('.').at(-1)) return []
  // `Key (author_id, slug)=(7, hops) already exists.`: what stands around it depends on the server's language.
  const [, key = ''] = /\((.+?)\)=\(/.exec(String(failed.detail)) ?? []
  const named = new Set(key.match(/\w+/g))
  return Object.keys(input.shape).filter((column) => named.has(column))
}
