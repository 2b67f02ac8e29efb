import { type AliasedExpression, type Kysely, type SelectAllNode, sql } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'

/** A list of columns for `select` and `returning`. Kysely has no type for several columns in one expression. */
export type Columns = AliasedExpression<unknown, string>

export const ALL_COLUMNS = columnsOf('*')

/** The visible columns of a table. */
interface TableColumns {
  readonly names: readonly string[]
  /** The names as SQL: `"posts"."id", "posts"."title"`. */
  readonly list: Columns
}

/** The columns of a database, by resource. */
export type KnownColumns = ReadonlyMap<Resource, TableColumns>

/** An entry of the application's list of resources. */
interface Declared {
  readonly repository: { readonly resource: Resource }
}

const known = new WeakMap<Kysely<Tables>, KnownColumns>()

/** Returns the columns that `readColumns` read from this database; undefined if it was not called. */
export const knownColumns = (db: Kysely<Tables>): KnownColumns | undefined => known.get(db)

/**
 * Reads which columns the tables of these resources have. From then on, statements name these columns instead of
 * selecting `*`, without the hidden ones: a column that a migration adds while this process runs can't reach a client.
 * Call it once, after the migrations and before the first request. A table that doesn't exist yet is skipped.
 */
export async function readColumns(declared: readonly Declared[], db: Kysely<Tables>): Promise<void> {
  const resources = declared.map(({ repository }) => repository.resource)
  const tables = resources.map(({ table }) => table.split('.').map(quoted).join('.'))
  const { rows } = await sql<{ index: string; columns: string[] }>`
    select given.index, array_agg(attname::text order by attnum) as columns
    from unnest(${tables}::text[]) with ordinality as given (name, index)
    join pg_attribute on attrelid = to_regclass(given.name) and attnum > 0 and not attisdropped and attname <> 'xmin'
    group by given.index`.execute(db)
  const tableColumns = rows.flatMap(({ index, columns }) => {
    const resource = resources[Number(index) - 1]
    return resource === undefined ? [] : [[resource, visibleColumns(resource, columns)] as const]
  })
  known.set(db, new Map(tableColumns))
}

function visibleColumns({ table, hidden }: Resource, columns: readonly string[]): TableColumns {
  const prefix = table.split('.').map(quoted).join('.')
  const names = columns.filter((column) => !hidden.includes(column))
  return { names, list: columnsOf(names.map((name) => `${prefix}.${quoted(name)}`).join(', ')) }
}

/** A node that stands for all columns of a row, with the SQL that `Postgres` compiles it to. */
export interface RowColumnsNode extends SelectAllNode {
  readonly columns?: string
}

// One node, since a node for each column would take longer to compile with each statement.
function columnsOf(columns: string): Columns {
  const node: RowColumnsNode = Object.freeze({ kind: 'SelectAllNode', columns })
  return { toOperationNode: () => node } as unknown as Columns
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
