import type { KyselyPlugin } from 'kysely'
import { readId } from '../resource/record-id.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { rowVersion, selectFrom, VERSION, type Which } from './statements.ts'

interface Origin {
  readonly resource: Resource
  readonly id: RecordId
  readonly version: string
}

const origins = new WeakMap<object, Origin>()

/** The row as read from the database: frozen, without hidden columns; where it came from is kept apart from it. */
export function readRow<R extends Resource>(resource: R, stored: Record<string, unknown>): RowOf<R> {
  const { [VERSION]: version, ...columns } = stored
  const row = hide(resource, columns)
  origins.set(row, { resource, id: columns['id'] as RecordId, version: String(version) })
  return row as RowOf<R>
}

/**
 * The same for rows that are looked at in great numbers and let go: frozen, without hidden columns. Where they came from
 * isn't kept: whoever wants to write one has it loaded afresh.
 */
export function readMany<R extends Resource>(resource: R, stored: Record<string, unknown>[]): RowOf<R>[] {
  for (const row of stored) hide(resource, row)
  return stored as RowOf<R>[]
}

/** The same row as another object, known to come from the same place. */
export function copyRow(row: object, origin: Origin): object {
  const copy = Object.freeze({ ...row })
  origins.set(copy, origin)
  return copy
}

/** Where a row was read from; undefined for a copy, or for a row of another resource. */
export function originOf(resource: Resource, row: object): Origin | undefined {
  const origin = origins.get(row)
  return origin?.resource === resource ? origin : undefined
}

/** The version that callers may be shown, and state when they write; undefined where the resource has none. */
export function shownVersion(resource: Resource, row: object): string | undefined {
  return resource.managed.version ? originOf(resource, row)?.version : undefined
}

/** The resource a row was read as; undefined for what was never read, or was copied. */
export const resourceOf = (row: object): Resource | undefined => origins.get(row)?.resource

/**
 * Loads by primary key and nothing else; null when there is no such row, or when it is in the trash, and for what can be
 * no id of this resource.
 */
export async function loadRow<R extends Resource>(
  resource: R,
  id: unknown,
  which: Which = 'live',
): Promise<RowOf<R> | null> {
  const key = readId(resource.idKind, String(id))
  if (key === null) return null
  const stored = await selectFrom(resource, { which })
    .selectAll()
    .select(rowVersion(resource))
    .where('id', '=', key)
    .executeTakeFirst()
  return stored === undefined ? null : readRow(resource, stored)
}

/** Takes hidden columns out of the rows of a query that somebody else completes. */
export const withoutHidden = (resource: Resource): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  transformResult: ({ result }) =>
    Promise.resolve({ ...result, rows: result.rows.map((row) => hide(resource, row)) }),
})

/** In place: the row is fresh from the driver, and nobody else has it yet. */
function hide(resource: Resource, row: Record<string, unknown>) {
  for (const column of resource.hidden) delete row[column]
  return deepFreeze(row)
}

// A loop over the columns, since a list of them for each row costs more than the freezing.
function deepFreeze<Value extends object>(value: Value): Value {
  for (const name in value) {
    const inner = value[name]
    // The bytes of a Buffer can't be frozen, only the column that holds it.
    if (typeof inner === 'object' && inner !== null && !ArrayBuffer.isView(inner)) deepFreeze(inner)
  }
  return Object.freeze(value)
}
