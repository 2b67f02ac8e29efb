import { basename } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import type { ProjectDatabase } from './project/project.ts'
import { type Found, migrationsOf } from './project/record.ts'

/** `never run`: it wasn't there. `gone`: it isn't there any more. `dropped`: by a migration. */
export type Table = 'rolled back' | 'never run' | 'gone' | 'dropped'

/** What has to become of a table. */
export interface TableRemoval {
  readonly table: Table
  /** How many of its migrations, the newest ones, are rolled back. */
  readonly rollback: number
  /** Migrations whose files go: nobody has run them then. */
  readonly unneeded: readonly string[]
  /** Whether the migration that drops it has to be written; false where there is one that is still to be run. */
  readonly writesDrop: boolean
}

/** Throws for a table with rows, unless it is forced: nobody gets them back. */
export async function planTableRemoval(
  { names: { table }, scaffold }: Found,
  database: ProjectDatabase,
  force: boolean,
): Promise<TableRemoval> {
  const states = await database.states()
  const rows = await database.rowsIn(table)
  if (rows !== null && rows > 0 && !force) throw new Exit(EXIT.conflict, hasRows(table, rows))
  const own = migrationsOf(scaffold)
  const inOrder = states
    .filter(({ executed_at }) => executed_at !== null)
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    .map(({ name }) => name)
  const executed = own.filter((path) => inOrder.includes(nameOf(path)))
  const pending = own.filter((path) => !executed.includes(path))
  const rest = { rollback: 0, unneeded: [], writesDrop: false }
  const newest = nameOf(own.at(-1) ?? '')
  // What drops the table fails without what makes it: they stay together, and are run together.
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
  `${table} has ${rows === 1 ? 'a row' : `${rows} rows`}. --force takes ${rows === 1 ? 'it' : 'them'} along: ` +
  'the table is rolled back where its migrations are the newest, else dropped by a new one, at once. ' +
  'Nothing is changed.'
