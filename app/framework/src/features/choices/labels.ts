import { sql } from 'kysely'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { isEverything, type Narrowing, visibleTo } from '../../policy/narrowing.ts'
import { readingReplica } from '../../database/read-replica.ts'
import { MOST_KEYS, rowByKey, sharedHere } from '../../rows/row-by-key.ts'
import { typedIds } from '../../rows/statements.ts'
import { isExactId } from '../../resource/record-id.ts'
import type { IdOf, Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import { allRows, listSource } from '../../lists/list-source.ts'
import { weakMemoize } from '../../resource/memoize.ts'

/**
 * Returns the labels of these records by their ids, for lists that show references. A record that doesn't exist or
 * that the caller doesn't see is left out. Costs one query, or none without ids. If the scope is `is.lit(true)`,
 * concurrent requests share one, for up to 128 ids each.
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
  const visible = visibleTo(ctx, resource)
  const rows = await readingReplica('replica', () => {
    // For more ids, it would be several queries.
    const isShared = uniqueIds.length <= MOST_KEYS && isEverything(visible) && sharedHere() !== null
    return isShared
      ? sharedRows(resource, uniqueIds as RecordId[])
      : rowsWithIds(resource, visible, uniqueIds as RecordId[]).execute()
  })
  return new Map(rows.map((row) => [row['id'] as IdOf<R>, labelOf(resource, row)]))
}

/** Returns a query for the ids and labels of the records that this caller sees in lists. */
export const labelRows = (ctx: PolicyContext, resource: Resource) =>
  rowsIn(resource, visibleTo(ctx, resource))

const rowsIn = (resource: Resource, visible: Narrowing) =>
  listSource(resource, visible)
    .narrowed({})
    .select([...new Set(['id', resource.label])])

/** One parameter for all ids, so that the text of the statement doesn't depend on their number. */
const rowsWithIds = (resource: Resource, visible: Narrowing, ids: readonly RecordId[]) =>
  rowsIn(resource, visible).where(sql<boolean>`id = any(${ids}::${sql.raw(resource.idKind)}[])`)

type LabelRow = Record<string, unknown>

const rowFinder = weakMemoize((resource: Resource) =>
  rowByKey('id', (keys: readonly RecordId[]) =>
    rowsIn(resource, allRows(resource)).where('id', 'in', typedIds(resource, keys)),
  ),
)

async function sharedRows(resource: Resource, ids: readonly RecordId[]): Promise<LabelRow[]> {
  const rows = await Promise.all(ids.map(rowFinder(resource)))
  return rows.filter((row) => row !== undefined)
}

/** Returns the label of a row, or its id if the label is blank. */
export function labelOf({ label }: Resource, row: object): string {
  const { id, [label]: text } = row as Record<string, RecordId | boolean | null>
  return String(text ?? '').trim() === '' ? String(id) : String(text)
}
