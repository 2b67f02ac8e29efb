import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { VERSION } from '../database/query-marks.ts'
import { managedVersion, rowVersion, selectFrom } from '../rows/statements.ts'
import { managedChanges } from '../rows/storage.ts'
import { tenantConditions } from '../rows/tenant.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { isExactId } from '../resource/record-id.ts'
import { managedColumns } from '../resource/managed-columns.ts'
import { chunksOf, type InsertOptions, type Rows } from './bulk-writes.ts'
import { rethrowWithRow } from './failed-row.ts'
import { recordsWithIds } from './record-feature.ts'
import { changedRows, RowsGone } from './write-conflicts.ts'

type Row = Readonly<Record<string, unknown>>

export interface UpsertOptions {
  readonly columns: readonly string[]
  /** Writes only rows whose `version` is still the one in the database. */
  readonly ifUnchanged?: boolean
}

/**
 * Updates these columns of existing rows, all or none. Throws `RowsGone` if a row doesn't exist, `Conflict` if a row has
 * another version with `ifUnchanged`, and a `RangeError` for a repeated id.
 */
export async function upsertRows(
  resource: Resource,
  source: Rows<object>,
  { columns, ifUnchanged = false, ...beside }: UpsertOptions & InsertOptions,
): Promise<number> {
  checkColumns(resource, columns)
  if (ifUnchanged && !resource.managed.version)
    throw new RangeError(`${resource.name} has no version. Declare version: true, or leave ifUnchanged out.`)
  const picked = ['id', ...columns, ...(ifUnchanged ? ['version'] : [])]
  const rows = sortedById(await pickColumns(resource, source, picked))
  if (rows.length === 0) return 0
  await inTransaction(() => writeBack(resource, rows, { columns, ifUnchanged, ...beside }), { retries: 3 })
  return rows.length
}

async function writeBack(
  resource: Resource,
  rows: readonly Row[],
  { columns, ifUnchanged, watcher, secret }: Required<UpsertOptions> & InsertOptions,
) {
  const types = await typesOf(resource, columns)
  for await (const chunk of chunksOf(rows)) {
    const versions = await lock(resource, chunk)
    if (ifUnchanged) refuseChanged(resource, chunk, versions)
    const watched = await watcher?.before('update', recordsWithIds(resource, chunk.map(idOf)))
    const nameOf = (index: number) => `id ${idOf(chunk[index] ?? {})}`
    await update(resource, chunk, types).catch(rethrowWithRow({ rows: chunk, nameOf, secret }))
    await watched?.after()
  }
}

function checkColumns(resource: Resource, columns: readonly string[] | undefined): void {
  if (columns === undefined || columns.length === 0)
    throw new RangeError(`Name the columns of ${resource.name} to write: upsertMany(rows, { columns: […] }).`)
  const written = ['id', resource.tenant, ...managedColumns(resource.managed), ...Object.keys(resource.joins)]
  const rejected = columns.find((column) => written.includes(column))
  if (rejected !== undefined)
    throw new RangeError(`${resource.name}.${rejected} can't be written by upsertMany. Leave it out.`)
}

async function pickColumns(
  { name, idKind }: Resource,
  source: Rows<object>,
  columns: readonly string[],
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of source as Rows<Row>) {
    const missing = columns.find((column) => row[column] === undefined)
    if (missing !== undefined) throw new RangeError(`${rowOf(name, row, rows.length)} has no '${missing}'.`)
    const picked = Object.fromEntries(columns.map((column) => [column, row[column]]))
    // Postgres reads a UUID in any case and writes it in lower case.
    rows.push(idKind === 'uuid' ? { ...picked, id: String(picked['id']).toLowerCase() } : picked)
  }
  return rows
}

const rowOf = (name: string, row: Row, index: number) =>
  row['id'] === undefined ? `Row ${index + 1} of ${name}` : `${name} ${idOf(row)}`

// Rows are locked in the order of their ids, so that two calls with the same rows can't deadlock.
function sortedById(rows: readonly Row[]): Row[] {
  const sorted = rows.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
  const repeated = sorted.find((row, index) => index > 0 && idOf(row) === idOf(sorted[index - 1] ?? {}))
  if (repeated !== undefined)
    throw new RangeError(`The id ${idOf(repeated)} appears twice. Pass each row once.`)
  return sorted
}

type Versions = ReadonlyMap<unknown, string>

/** Locks the rows until the transaction ends. Returns their versions by their ids. */
async function lock(resource: Resource, rows: readonly Row[]): Promise<Versions> {
  const ids = rows.map(idOf)
  const locked = await selectFrom(resource)
    .select(['id', rowVersion(resource)])
    .where(sql<boolean>`id = any(${ids.filter(isExactId)})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const versions = new Map(locked.map((row) => [row['id'], row[VERSION]]))
  const missing = ids.filter((id) => !versions.has(id))
  if (missing.length > 0) throw new RowsGone(resource, missing)
  return versions
}

/** Throws if a row has another version in the database than the one that the caller read. */
function refuseChanged(resource: Resource, rows: readonly Row[], versions: Versions): void {
  const changed = rows.filter(
    (row) => String(row['version'] as number) !== managedVersion(versions.get(idOf(row)) ?? ''),
  )
  if (changed.length > 0) throw changedRows(resource, changed.map(idOf))
}

type Types = ReadonlyMap<string, string>

/** Returns the types of these columns in Postgres. */
async function typesOf(resource: Resource, columns: readonly string[]): Promise<Types> {
  const types = columns.map((column) => sql`pg_typeof(${empty(resource, column)})::text as ${sql.id(column)}`)
  const { rows } = await sql<Record<string, string>>`select ${sql.join(types)}`.execute(executor())
  return new Map(Object.entries(rows[0] ?? {}))
}

async function update(resource: Resource, rows: readonly Row[], types: Types): Promise<void> {
  const columns = ['id', ...types.keys()]
  // The first row contains only nulls, so that it matches no id. It sets the types of the columns.
  const first = columns.map((column) => empty(resource, column))
  const values = rows.map((row) => columns.map((column) => valueOf(row[column], types.get(column))))
  const table = sql.table(resource.table)
  const written = [...types.keys()].map((column) => [column, sql.ref(`given.${column}`)] as const)
  const set = [...written, ...Object.entries(managedChanges(resource))]
  await sql`
    update ${table} set ${sql.join(set.map(([column, value]) => sql`${sql.id(column)} = ${value}`))}
    from (values ${sql.join([first, ...values].map((row) => sql`(${sql.join(row)})`))})
      as given (${sql.join(columns.map((column) => sql.id(column)))})
    where ${sql.join([...tenantConditions(resource), sql`${table}.id = given.id`], sql` and `)}`.execute(
    executor(),
  )
}

const empty = ({ table }: Resource, column: string) => sql`(null::${sql.table(table)}).${sql.id(column)}`

/** JSON is sent as text, because the driver turns a list into a Postgres array. */
const valueOf = (value: unknown, type: string | undefined): unknown =>
  value !== null && (type === 'jsonb' || type === 'json') ? JSON.stringify(value) : value

const idOf = (row: Row) => row['id'] as RecordId
