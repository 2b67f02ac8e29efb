import { basename } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { confirm } from '../upgrade/finish.ts'
import { dropTableStep } from '../scaffold/code/drop-table.ts'
import { isMigration } from '../scaffold/project/record.ts'
import type { ProjectDatabase } from '../scaffold/project/project.ts'
import { planTableRemoval } from '../scaffold/table-removal.ts'
import type { Change } from './add-on-steps.ts'

/** What happens in the database when an add-on is removed. */
export interface TableSteps {
  readonly database: ProjectDatabase
  /** The number of migrations to roll back, before their files are removed. */
  readonly rollback: number
  /** Whether a new migration drops the table. */
  readonly drops: boolean
}

/** Returns the migrations of an add-on, with their texts, in the order in which they run. */
export const migrationsIn = ({ addOn }: Change): [path: string, text: string][] =>
  [...addOn.files].filter(([path]) => isMigration(path)).toSorted(([one], [other]) => (one < other ? -1 : 1))

/**
 * Plans the removal of the add-on's table: its migrations are rolled back if they are the newest. Otherwise they stay, and a
 * new one drops the table. While an edited file is kept, its table is too. A table with rows is removed with `force`, or if
 * the user agrees on a terminal.
 */
export async function withTables(
  root: string,
  change: Change,
  { database, force }: { database: ProjectDatabase; force: boolean },
): Promise<{ change: Change; tables: TableSteps }> {
  const migrations = migrationsIn(change)
  const others = change.steps.filter(({ path }) => !isMigration(path))
  const nothing = { change: { ...change, steps: others }, tables: { database, rollback: 0, drops: false } }
  if (change.byHand.size > 0 || change.steps.some(({ verb }) => verb === 'keep')) return nothing
  const [table, ...more] = tablesIn(migrations.map(([, text]) => text).join('\n'))
  if (table === undefined || more.length > 0) {
    await refuseExecuted(change, database)
    return { ...nothing, change }
  }
  const fate = await planTableRemoval(
    { table, migrations: migrations.map(([path]) => path) },
    database,
    (_, rows) => mayDelete(table, rows, force),
  )
  const removed = change.steps.filter(({ path }) => fate.unneeded.includes(path))
  const texts = migrations.map(([, text]) => text)
  const drop = fate.writesDrop ? [await dropTableStep(root, [table], { all: texts, companions: texts })] : []
  return {
    change: { ...change, steps: [...others, ...removed, ...drop] },
    tables: { database, rollback: fate.rollback, drops: fate.writesDrop },
  }
}

const mayDelete = async (table: string, rows: number, force: boolean): Promise<boolean> =>
  force || (process.stdin.isTTY && (await confirm(`Delete the ${rows} rows of ${table}? [y/N] `)))

const tablesIn = (migrations: string): string[] =>
  [...migrations.matchAll(/\bcreateTable\(\s*['"](\w+)['"]/g)].map(([, table = '']) => table)

/** Only the migrations of one table can be taken back: their rows can be counted. */
async function refuseExecuted(change: Change, database: ProjectDatabase): Promise<void> {
  const own = new Set(migrationsIn(change).map(([path]) => basename(path, '.ts')))
  const executed = (await database.states()).filter(
    ({ name, executed_at }) => executed_at !== null && own.has(name),
  )
  if (executed.length === 0) return
  throw new Exit(
    EXIT.conflict,
    `These migrations of ${change.addOn.name} have run, and create no table or several: ${executed.map(({ name }) => name).join(', ')}. Roll them back first, with npx cli db rollback. No files were written.`,
  )
}
