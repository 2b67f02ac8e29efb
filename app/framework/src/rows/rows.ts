import { storedId } from '../resource/record-id.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { deepFreeze } from '../resource/deep-freeze.ts'
import { rowColumns, type SeenIds, seenName } from './row-columns.ts'
import { VERSION } from '../database/query-marks.ts'
import { type Origin, rowOrigin, setOrigin } from './row-origins.ts'
import { rowByKey } from './row-by-key.ts'
import { managedVersion, rowVersion, selectFrom, typedIds, type TrashFilter } from './statements.ts'
import { weakMemoize } from '../resource/memoize.ts'

/** Returns the row, frozen. Stores its origin for `originOf`. */
export function readRow<R extends Resource>(resource: R, stored: Record<string, unknown>): RowOf<R> {
  const columns: Record<string, unknown> = {}
  // A loop, because a rest pattern takes several times as long. Other columns follow the version.
  for (const name of Object.keys(stored)) {
    if (name === VERSION) break
    columns[name] = stored[name]
  }
  setOrigin(columns, { resource, id: columns['id'] as RecordId, version: String(stored[VERSION]) })
  return deepFreeze(columns) as RowOf<R>
}

/** Returns a copy of the row with this origin. */
export function copyRow<Row extends object>(row: Row, origin: Origin): Row {
  const copy = { ...row }
  setOrigin(copy, origin)
  return Object.freeze(copy)
}

/** Returns the row with all its fields, for rules and writes. */
export const completeRow = (row: object): object => rowOrigin(row)?.complete ?? row

/** Returns the row without these fields, or the row itself if it lacks exactly these. */
export function withoutFields<Row extends object>(row: Row, fields: readonly string[]): Row {
  const complete = completeRow(row)
  const kept = Object.entries({ ...complete, ...row }).filter(([field]) => !fields.includes(field))
  const isSame = kept.length === Object.keys(row).length && kept.every(([field]) => Object.hasOwn(row, field))
  if (isSame) return row
  return asSeen(row, Object.fromEntries(kept) as Row)
}

/** Gives the row that the caller sees, `seen`, the origin of the complete one, which rules and writes get. */
export function asSeen<Row extends object>(row: Row, seen: Row): Row {
  const origin = rowOrigin(row)
  if (origin !== undefined) setOrigin(seen, { ...origin, complete: completeRow(row) })
  return Object.freeze(seen)
}

/** Returns a row with the ids that the caller sees, from the columns of `seenColumns`. */
export function withSeenLists<Row extends object>(
  { columns }: Resource,
  row: Row,
  { stored, seen }: { stored: Readonly<Record<string, unknown>>; seen: SeenIds | undefined },
): Row {
  if (seen === undefined) return row
  const own = Object.keys(row).filter((column) => columns.includes(column))
  const nameOf = (column: string) => (column in seen ? seenName(column) : column)
  return asSeen(row, Object.fromEntries(own.map((column) => [column, stored[nameOf(column)]])) as Row)
}

/** Returns the origin of a row; undefined for a copy, or for a row of another resource. */
export function originOf(resource: Resource, row: object): Origin | undefined {
  const origin = rowOrigin(row)
  return origin?.resource === resource ? origin : undefined
}

/** Returns the version that callers see and send back when they write; undefined if the resource has none. */
export function shownVersion(resource: Resource, row: object): string | undefined {
  const version = resource.managed.version ? originOf(resource, row)?.version : undefined
  return version === undefined ? undefined : managedVersion(version)
}

/** Returns the resource of a row; undefined for a copy and for other objects. */
export const resourceOf = (row: object): Resource | undefined => rowOrigin(row)?.resource

/**
 * Loads a row by its primary key. Returns null if it doesn't exist, if it is in the trash, and if `id` is not valid
 * for this resource.
 */
export async function loadRow<R extends Resource>(
  resource: R,
  id: unknown,
  which: TrashFilter = 'live',
): Promise<RowOf<R> | null> {
  const key = storedId(resource.idKind, id)
  if (key === null) return null
  // A statement that concurrent requests share could read the rows of several tenants.
  const stored = await (resource.tenant === null
    ? rowById(resource)[which](key)
    : rowQuery(resource, which).where('id', '=', key).executeTakeFirst())
  return stored === undefined ? null : readRow(resource, stored)
}

const rowQuery = (resource: Resource, which: TrashFilter) =>
  selectFrom(resource, { which }).select([...rowColumns(resource), rowVersion(resource)])

/** The statements of each resource, shared by callers who read at the same time. */
const rowById = weakMemoize((resource: Resource) => ({
  live: sharedRow(resource, 'live'),
  trashed: sharedRow(resource, 'trashed'),
  all: sharedRow(resource, 'all'),
}))

const sharedRow = (resource: Resource, which: TrashFilter) =>
  rowByKey('id', (ids: readonly RecordId[]) =>
    rowQuery(resource, which).where('id', 'in', typedIds(resource, ids)),
  )
