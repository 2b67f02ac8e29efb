import { type AliasedExpression, type Kysely, type SelectAllNode, sql } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import { COLUMN_NAME, COLUMNS, IS_COLUMN } from './migration-columns.ts'
import { newerColumns } from './run-migrations.ts'

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
 * Nor can a column of a migration that ran before and has no file in `folders`, because an older version started again:
 * the newer version may hide it. In tests, `folders` may be null: then all columns are read.
 *
 * Call it once, after the migrations and before the first request. A table that doesn't exist yet is skipped. Throws if
 * the columns of a newer migration were not recorded.
 */
export async function readColumns(
  declared: readonly Declared[],
  db: Kysely<Tables>,
  folders: readonly string[] | null,
): Promise<void> {
  const resources = declared.map(({ repository }) => repository.resource)
  const rows = await columnsByTable(
    resources.map(({ table }) => qualified(table)),
    db,
  )
  // Read after the columns, so that it has the migration of each of them.
  const newer = folders === null ? new Set() : await newerColumns(db, folders)
  const tableColumns = rows.flatMap(({ index, columns, names }) => {
    const resource = resources[Number(index) - 1]
    const older = columns.filter((_, position) => !newer.has(names[position]))
    return resource === undefined ? [] : [[resource, visibleColumns(resource, older)] as const]
  })
  known.set(db, new Map(tableColumns))
}

/** Returns the columns of each existing table, with the position of the table in the list, from 1. */
async function columnsByTable(tables: readonly string[], db: Kysely<Tables>) {
  const { rows } = await sql<{ index: string; columns: string[]; names: string[] }>`
    select given.index, array_agg(attname::text order by attnum) as columns,
      array_agg(${COLUMN_NAME} order by attnum) as names
    from unnest(${tables}::text[]) with ordinality as given (name, index)
    join (${COLUMNS}) on attrelid = to_regclass(given.name) and ${IS_COLUMN} and attname <> 'xmin'
    group by given.index`.execute(db)
  return rows
}

function visibleColumns({ table, hidden }: Resource, columns: readonly string[]): TableColumns {
  const prefix = qualified(table)
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

const qualified = (table: string) => table.split('.').map(quoted).join('.')
