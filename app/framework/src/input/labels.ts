import { sql } from 'kysely'
import type { PolicyContext } from '../authorization/authorization-types.ts'
import { narrowing, registeredScope } from '../authorization/scope.ts'
import { isExactId } from '../resource/record-id.ts'
import type { IdOf, Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { listSource } from '../lists/list-source.ts'

/**
 * Returns the labels of these records by their ids, for lists that show references. A record that doesn't exist or
 * that the caller doesn't see is left out. Costs one query, or none without ids.
 *
 * ```ts
 * const authors = await labelsOf(ctx, User, page.content.map((post) => post.author_id))
 * ```
 */
export async function labelsOf<R extends Resource>(
  ctx: PolicyContext,
  resource: R,
  ids: readonly (IdOf<R> | null)[],
): Promise<Map<IdOf<R>, string>> {
  const uniqueIds = [...new Set<RecordId | null>(ids)].filter((id) => id !== null && isExactId(id))
  if (uniqueIds.length === 0) return new Map()
  const type = sql.raw(resource.idKind)
  // One parameter for all ids, so that the text of the statement doesn't depend on their number.
  const rows = await labelRows(ctx, resource)
    .where(sql<boolean>`id = any(${uniqueIds}::${type}[])`)
    .execute()
  return new Map(rows.map((row) => [row['id'] as IdOf<R>, labelOf(resource, row)]))
}

/** Returns a query for the ids and labels of the records that this caller sees in lists. */
export const labelRows = (ctx: PolicyContext, resource: Resource) =>
  listSource(resource, narrowing(registeredScope(resource, ctx), { ctx, resource }))
    .narrowed({})
    .select([...new Set(['id', resource.label])])

/** Returns the label of a row, or its id if the label is blank. */
export function labelOf({ label }: Resource, row: object): string {
  const { id, [label]: text } = row as Record<string, RecordId | boolean | null>
  return String(text ?? '').trim() === '' ? String(id) : String(text)
}
