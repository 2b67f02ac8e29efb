import type { DeclaredColumn } from './declared-columns.ts'
import type { StoredColumn } from './stored-columns.ts'
import { typeOfColumn } from './type-of-column.ts'

export interface TypeDifference {
  readonly table: string
  /** Null where it is the whole table. */
  readonly column: string | null
  readonly problem: string
}

/**
 * Where the code and the database say different things of a table. One that no type declares is none of them: nobody
 * can ask for it by mistake.
 */
export function compareColumns(
  declared: readonly DeclaredColumn[],
  stored: readonly StoredColumn[],
): TypeDifference[] {
  const inDatabase = new Map(stored.map((column) => [nameOf(column), column]))
  const inCode = new Map(declared.map((column) => [nameOf(column), column]))
  const tables = new Set(stored.map(({ table }) => table))
  const missing = new Set(declared.map(({ table }) => table).filter((table) => !tables.has(table)))
  const declaredTables = new Set(declared.map(({ table }) => table))
  return [
    ...[...missing].map((table) => ({ table, column: null, problem: 'The database has no such table.' })),
    ...declared
      .filter((column) => tables.has(column.table))
      .flatMap((column) => differences(column, problemsOf(column, inDatabase.get(nameOf(column))))),
    ...stored
      .filter((column) => declaredTables.has(column.table) && !inCode.has(nameOf(column)))
      .flatMap((column) => differences(column, [`The types don't have it; it is ${wanted(column)}.`])),
  ].toSorted((one, other) => (one.table < other.table ? -1 : Number(one.table > other.table)))
}

const nameOf = ({ table, column }: { table: string; column: string }) => JSON.stringify([table, column])

const differences = (
  { table, column }: { table: string; column: string },
  problems: readonly (string | false)[],
): TypeDifference[] =>
  problems.filter((problem) => problem !== false).map((problem) => ({ table, column, problem }))

function problemsOf(declared: DeclaredColumn, stored: StoredColumn | undefined): (string | false)[] {
  if (stored === undefined) return ['The database has no such column.']
  const { read, fits, readsNull, insert, update, writesNull } = declared
  const { nullable, has_default, is_generated } = stored
  const isRead = fits && (readsNull ?? nullable) === nullable
  // What may be anything may be nothing: Kysely lets an insert leave `unknown` out.
  const isNeeded = !nullable && !has_default && !is_generated && readsNull !== undefined
  return [
    !isRead && `The types say ${read}, the database ${wanted(stored)}.`,
    isNeeded && insert !== 'needed' && 'An insert may leave it out, and the database has no default for it.',
    isRead && !nullable && writesNull && 'It may be written as null, and the database refuses that.',
    is_generated && (insert !== 'never' || update) && 'The database computes it: make it GeneratedAlways.',
  ]
}

const wanted = (column: StoredColumn) => typeOfColumn(column) + (column.nullable ? ' | null' : '')
