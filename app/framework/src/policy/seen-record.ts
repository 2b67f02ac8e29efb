import type { Kysely } from 'kysely'
import { asSeen } from '../rows/rows.ts'
import type { SeenIds } from '../rows/row-columns.ts'
import { selectListed } from '../rows/statements.ts'
import { storedValue } from '../resource/join.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId, Tables } from '../resource/tables.ts'
import type { PolicyContext } from './authorization-types.ts'
import { seenRow } from './field-access.ts'
import { isEverything, visibleTo } from './narrowing.ts'

type Lists = Readonly<Record<string, readonly RecordId[]>>

/** Returns the queries of the ids that the caller sees, by the columns that joins store. Undefined if they see all ids. */
export function seenIds(
  ctx: PolicyContext,
  { joins, references }: Resource,
  db?: Kysely<Tables>,
): SeenIds | undefined {
  const queries = Object.keys(joins).flatMap((column) => {
    const target = references[column] as Resource
    const visible = visibleTo(ctx, target)
    return !target.managed.softDelete && isEverything(visible)
      ? []
      : [
          [
            column,
            selectListed(target, db && { db })
              .select('id')
              .where(visible),
          ] as const,
        ]
  })
  return queries.length === 0 ? undefined : Object.fromEntries(queries)
}

/** Returns the row as the caller sees it: without unseen fields, and with the ids of the records that they see in lists. */
export async function seenRecord<Row extends object>(
  ctx: PolicyContext,
  resource: Resource,
  row: Row,
): Promise<Row> {
  const seen = seenRow(ctx, resource, row)
  const queries = Object.entries(seenIds(ctx, resource) ?? {}).filter(([column]) => column in seen)
  if (queries.length === 0) return seen
  const lists = queries.map(async ([column, query]) => {
    return [column, await idsAmong(query, Reflect.get(seen, column) as RecordId[])] as const
  })
  return asSeen(row, { ...seen, ...Object.fromEntries(await Promise.all(lists)) })
}

/** Returns values of an update with the ids of the complete row that the caller doesn't see: they stay. */
export async function withUnseenIds(
  ctx: PolicyContext,
  resource: Resource,
  row: object,
  values: object,
): Promise<object> {
  const queries = Object.entries(seenIds(ctx, resource) ?? {}).filter(([column]) => column in values)
  const lists = queries.map(async ([column, query]) => {
    const { [column]: ids = [] } = row as Lists
    const seen = new Set(await idsAmong(query, ids))
    const merged = withUnseen((values as Lists)[column] ?? [], { ids, seen })
    return [column, storedValue(resource.joins, column, merged)] as const
  })
  return { ...values, ...Object.fromEntries(await Promise.all(lists)) }
}

/**
 * Returns the list with the stored ids that the caller doesn't see. Each follows the id that it followed before, or the
 * one before that, if the list has lost it.
 */
function withUnseen(list: readonly RecordId[], { ids, seen }: StoredIds): RecordId[] {
  const listed = new Set(list)
  let last: RecordId | null = null
  const following = Map.groupBy(ids, (id) => (listed.has(id) ? (last = id) : last))
  const unseenBehind = (id: RecordId | null) => (following.get(id) ?? []).filter((one) => !seen.has(one))
  return [...unseenBehind(null), ...list.flatMap((id) => [id, ...unseenBehind(id)])]
}

interface StoredIds {
  readonly ids: readonly RecordId[]
  readonly seen: ReadonlySet<RecordId>
}

/** Returns those of the ids that the query returns, in their order. Costs one statement, or none without ids. */
export async function idsAmong(query: SeenIds[string], ids: readonly RecordId[] = []): Promise<RecordId[]> {
  const rows = ids.length === 0 ? [] : await query.where('id', 'in', ids).execute()
  const found = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => found.has(id))
}
