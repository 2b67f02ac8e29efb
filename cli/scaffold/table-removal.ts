import { basename } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import type { ProjectDatabase } from './project/project.ts'

/** The way in which the table is removed. `gone`: it no longer exists. `dropped`: a new migration drops it. `kept`: it stays. */
export type Table = 'rolled back' | 'never run' | 'gone' | 'dropped' | 'kept'

/** The plan for removing a table. */
export interface TableRemoval {
  readonly table: Table
  /** The number of migrations to roll back. */
  readonly rollback: number
  /** Migrations whose files are removed, because they have not run or are rolled back. */
  readonly unneeded: readonly string[]
  /** Whether to write a migration that drops the table. */
  readonly writesDrop: boolean
}

/** Plans how to remove a table, whose `migrations` run in this order. If it has rows and `mayDelete` is false, throws. */
export async function planTableRemoval(
  { table, migrations: own }: { readonly table: string; readonly migrations: readonly string[] },
  database: ProjectDatabase,
  mayDelete: (table: string, rows: number) => boolean | Promise<boolean>,
): Promise<TableRemoval> {
  const states = await database.states()
  const rows = await database.rowsIn(table)
  if (rows !== null && rows > 0 && !(await mayDelete(table, rows)))
    throw new Exit(EXIT.conflict, hasRows(table, rows))
  const inOrder = states
    .filter(({ executed_at }) => executed_at !== null)
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    .map(({ name }) => name)
  const executed = own.filter((path) => inOrder.includes(nameOf(path)))
  const pending = own.filter((path) => !executed.includes(path))
  const rest = { rollback: 0, unneeded: [], writesDrop: false }
  const newest = nameOf(own.at(-1) ?? '')
  // A pending migration already drops the table. It needs the migration that creates it, so both stay.
  if (states.some((state) => state.executed_at === null && state.name > newest && drops(state.name, table)))
    return { ...rest, table: 'dropped' }
  if (rows === null && (executed.length > 0 || own.length === 0))
    return { ...rest, table: 'gone', unneeded: pending }
  if (executed.length === 0) return { ...rest, table: 'never run', unneeded: pending }
  const isNewest = inOrder
    .slice(-executed.length)
    .every((name) => executed.some((path) => nameOf(path) === name))
  return isNewest
    ? { ...rest, table: 'rolled back', rollback: executed.length, unneeded: own }
    : { ...rest, table: 'dropped', writesDrop: true }
}

const nameOf = (path: string): string => basename(path, '.ts')

const drops = (name: string, table: string): boolean => name.replace(/^\d+_/, '') === `drop_${table}`

const orderOf = ({ executed_at, name }: { executed_at: string | null; name: string }): string =>
  `${executed_at} ${name}`

const hasRows = (table: string, rows: number): string =>
  `${table} has ${rows === 1 ? 'a row' : `${rows} rows`}. --force deletes ${rows === 1 ? 'it' : 'them'}: ` +
  'it rolls back the migrations of the table if they are the newest, or drops the table with a new one. ' +
  'Nothing was changed.'
