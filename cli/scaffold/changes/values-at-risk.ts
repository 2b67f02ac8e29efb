import { ask } from '../../ask.ts'
import { Exit, EXIT } from '../../exit.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Model } from '../model.ts'
import type { ProjectDatabase } from '../project/project.ts'
import type { FieldChange } from './change-model.ts'
import { typeOf } from './changed-columns.ts'

interface Rows {
  readonly table: string
  /** Returns the number of rows for which the condition holds. */
  readonly count: (where: string) => Promise<number>
}

type Terminal = Parameters<typeof ask>[2]

/**
 * Asks before values are lost: those of a removed field, and those that a new type changes. Throws if a row has a value that
 * the new declaration does not allow. Nothing is asked with `force`.
 */
export async function confirmValues(
  database: ProjectDatabase,
  { names: { table } }: Model,
  { fields, force, terminal }: { fields: readonly FieldChange[]; force: boolean; terminal?: Terminal },
): Promise<void> {
  if ((await database.rowsIn(table)) === null) return
  const rows = { table, count: async (where: string) => (await database.rowsIn(table, where)) ?? 0 }
  const losses: string[] = []
  for (const change of fields) losses.push(...(await lossesOf(change, rows)))
  if (losses.length === 0 || force) return
  const nothing = 'Nothing was changed.'
  const answer = await ask(
    `${losses.join('\n')}\nContinue? [y/N] `,
    `${losses.join(' ')} Continue with --force. ${nothing}`,
    terminal,
  )
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Exit(EXIT.conflict, nothing)
}

async function lossesOf(change: FieldChange, rows: Rows): Promise<string[]> {
  const { from, to } = change
  const column = sqlName(from.column)
  if (to === null) {
    const count = await rows.count(`${column} is not null`)
    return count === 0 ? [] : [`${rowsWith(count)} a value in ${from.column}, which is deleted.`]
  }
  if (from.nullable && !to.nullable && to.default === undefined) {
    const count = await rows.count(`${column} is null`)
    if (count > 0)
      refuse(`${rowsWith(count)} no ${from.column}. Give them a value, and run the command again.`)
  }
  return typeOf(from) === typeOf(to) ? checkedRows(change, column, rows) : changedRows(change, column, rows)
}

/** Refuses a change whose check an existing value doesn't pass. */
async function checkedRows({ from, to }: FieldChange, value: string, rows: Rows): Promise<[]> {
  const condition = to?.type.constraint?.(to, value)?.condition
  const count = condition === undefined ? 0 : await rows.count(`not (${condition})`)
  if (count > 0)
    refuse(
      `${rowsWith(count)} a value of ${from.column} that the new declaration does not allow. Change these values first.`,
    )
  return []
}

async function changedRows(change: FieldChange, column: string, rows: Rows): Promise<string[]> {
  const { from, to } = change
  const type = to ? typeOf(to) : ''
  const value = `${column}::${type}`
  try {
    await checkedRows(change, `(${value})`, rows)
    const count = await rows.count(`${value}::${typeOf(from)} is distinct from ${column}`)
    return count === 0 ? [] : [`${rowsWith(count)} a value of ${from.column} that changes as ${type}.`]
  } catch (error) {
    if (error instanceof Exit) throw error
    return refuse(
      `The values of ${from.column} can't become ${type}: ${(error as Error).message}. Change these values first.`,
    )
  }
}

const rowsWith = (count: number) => (count === 1 ? 'One row has' : `${count} rows have`)

function refuse(message: string): never {
  throw new Exit(EXIT.conflict, `${message} Nothing was changed.`)
}
