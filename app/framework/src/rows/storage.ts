import { type Expression, sql, type SqlBool } from 'kysely'
import type { ChangesOf, IdOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import { isExactId } from '../resource/record-id.ts'
import type { RecordId } from '../resource/tables.ts'
import { managedColumns } from '../resource/managed-columns.ts'
import { rowColumns } from './row-columns.ts'
import { readRow } from './rows.ts'
import { withJoins } from './with-joins.ts'
import { rejectTenant, withTenantValue } from './tenant.ts'
import {
  type AnyBuilder,
  trashConditions,
  deleteFrom,
  hasVersion,
  insertInto,
  rowVersion,
  selectFrom,
  updateTable,
  type TrashFilter,
} from './statements.ts'

export interface Target {
  id: RecordId
  /** The version to write; any version if it is left out. */
  version?: string
}

/** Inserts a row. Returns it with the defaults of the database. */
export async function insertRow<R extends Resource>(resource: R, values: NewRowOf<R>): Promise<RowOf<R>> {
  const [stored = {}] = await withJoins(resource, [{ ...values }], (rows) =>
    insertInto(resource)
      .values(newRows(resource, rows))
      .returning([...rowColumns(resource), rowVersion(resource)])
      .execute(),
  )
  return readRow(resource, stored)
}

/** Inserts rows. Returns their ids, in the same order. */
export async function insertRows<R extends Resource>(
  resource: R,
  rows: readonly object[],
): Promise<IdOf<R>[]> {
  const stored = await withJoins(resource, rows as readonly Record<string, unknown>[], (own) =>
    insertInto(resource).values(newRows(resource, own)).returning('id').execute(),
  )
  return stored.map(({ id }) => id as IdOf<R>)
}

/**
 * Updates the row. Returns null if it doesn't exist in this version. Throws for a managed column and for the
 * tenant.
 */
export function updateRow<R extends Resource>(
  resource: R,
  target: Target,
  changes: ChangesOf<R>,
): Promise<RowOf<R> | null> {
  rejectManaged(resource, changes)
  return write(resource, { ...target, which: 'live' }, changes)
}

/**
 * Deletes the row, or moves it to the trash if the resource has `softDelete`. Returns whether it existed in this
 * version.
 */
export async function deleteRow(resource: Resource, target: Target): Promise<boolean> {
  if (!resource.managed.softDelete) return purgeRow(resource, target)
  return (await write(resource, { ...target, which: 'live' }, { deleted_at: sql`now()` })) !== null
}

/** Restores a row from the trash. Returns null if it is not in the trash, or not in this version. */
export function restoreRow<R extends Resource>(resource: R, target: Target): Promise<RowOf<R> | null> {
  return write(resource, { ...target, which: 'trashed' }, { deleted_at: null })
}

/** Deletes the row permanently, whether it is in the trash or not. Returns whether it existed in this version. */
export async function purgeRow(resource: Resource, target: Target): Promise<boolean> {
  const statement = deleteFrom(resource).where(matches(resource, target))
  return (await statement.returning('id').executeTakeFirst()) !== undefined
}

/** Reads and locks the row until the transaction ends. Returns null if it doesn't exist in this version. */
export async function lockRow<R extends Resource>(resource: R, target: Target): Promise<RowOf<R> | null> {
  await lockForLists(resource, target)
  const stored = await selectFrom(resource)
    .select([...rowColumns(resource), rowVersion(resource)])
    .where(matches(resource, target))
    .forNoKeyUpdate()
    .executeTakeFirst()
  return stored === undefined ? null : readRow(resource, stored)
}

/**
 * Locks a row with joins, before a statement reads it with its lists. A statement that waits for a lock reads the new row,
 * and the join tables as they were before it waited.
 */
async function lockForLists(resource: Resource, { id }: Target): Promise<void> {
  if (Object.keys(resource.joins).length === 0) return
  const rows = selectFrom(resource, { which: 'all' }).select('id')
  await rows.where('id', '=', id).forNoKeyUpdate().execute()
}

/** Locks a row until the end of the transaction, in any version, also in the trash. */
export async function lockById(resource: Resource, id: RecordId): Promise<void> {
  await selectFrom(resource, { which: 'all' }).select('id').where('id', '=', id).forUpdate().execute()
}

/** Returns the values of new rows. A statement must name a column, so it names the id if no row has a value. */
function newRows(resource: Resource, rows: readonly object[]): Record<string, unknown>[] {
  const stored = rows.map((row) => asStored(resource, withTenantValue(resource, row)))
  const isEmpty = stored.every((row) => Object.values(row).every((value) => value === undefined))
  return isEmpty ? stored.map(() => ({ id: sql`default` })) : stored
}

/**
 * Returns the values for the driver. JSON becomes text, because the driver turns a list into a Postgres array, and sends
 * a text as it is: `'7'` would be stored as the number.
 */
export function asStored({ json }: Resource, values: object): Record<string, unknown> {
  const stored: Record<string, unknown> = { ...values }
  for (const column of json) {
    const value = stored[column]
    if (value !== undefined && value !== null) stored[column] = JSON.stringify(value)
  }
  return stored
}

/** The managed columns that every update changes. */
export const managedChanges = (resource: Resource): Record<string, unknown> => ({
  ...(resource.managed.version && { version: sql`${sql.ref(`${resource.table}.version`)} + 1` }),
  ...(resource.managed.updatedAt && { updated_at: sql`now()` }),
})

/** Throws if the changes contain a managed column or the tenant. */
export function rejectManaged(resource: Resource, changes: object): void {
  const column = managedColumns(resource.managed).find((name) => Object.hasOwn(changes, name))
  if (column !== undefined) throw new Error(`${resource.name}.${column} is a managed column. Leave it out.`)
  rejectTenant(resource, changes)
}

interface LiveOrTrashed extends Target {
  which: TrashFilter
}

async function write<R extends Resource>(resource: R, { which, ...target }: LiveOrTrashed, changes: object) {
  const [stored] = await withJoins(resource, [{ ...changes }], async ([own]) => {
    await lockForLists(resource, target)
    return updateTable(resource)
      .set({ ...asStored(resource, { ...own }), ...managedChanges(resource) })
      .where(matches(resource, target, trashConditions(resource, which)))
      .returning([...rowColumns(resource), rowVersion(resource)])
      .execute()
  })
  return stored === undefined ? null : readRow(resource, stored)
}

const matches =
  (resource: Resource, { id, version }: Target, others: readonly Expression<SqlBool>[] = []) =>
  (is: AnyBuilder) =>
    is.and([
      isExactId(id) ? is('id', '=', id) : is.lit(false),
      ...(version === undefined ? [] : [hasVersion(resource, version)]),
      ...others,
    ])
