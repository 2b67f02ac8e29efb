import { ask } from '../../ask.ts'
import { Exit, EXIT } from '../../exit.ts'
import { sqlName } from '../code/sql-names.ts'
import { hasJoined } from '../many/join-code.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { withColumnBefore } from '../money/changed-currencies.ts'
import type { ProjectDatabase } from '../project/project.ts'
import type { FieldChange } from './change-model.ts'
import { typeOf } from './changed-columns.ts'

interface Rows {
  readonly table: string
  /** Returns the number of rows for which the condition holds. */
  readonly count: (where: string) => Promise<number>
}

interface Question {
  readonly fields: readonly FieldChange[]
  readonly force: boolean
  readonly terminal?: Parameters<typeof ask>[2]
}

/**
 * Asks before values are lost: those of a removed field, and those that a new type changes. Throws if a row has a value that
 * the new declaration does not allow. Nothing is asked with `force`.
 */
export async function confirmValues(
  database: ProjectDatabase,
  was: Model,
  { fields, force, terminal }: Question,
): Promise<void> {
  const { table } = was.names
  const rows: Rows = { table, count: async (where) => (await database.rowsIn(table, where)) ?? 0 }
  // A missing table has no rows either.
  if ((await rows.count('true')) === 0) return
  const losses: string[] = []
  for (const { from, to } of fields)
    losses.push(
      ...(to === null
        ? await removedValues(was, from, rows)
        : await changedValues(from, withColumnBefore(to, fields), rows)),
    )
  if (losses.length === 0 || force) return
  const nothing = 'Nothing was changed.'
  const answer = await ask(
    `${losses.join('\n')}\nContinue? [y/N] `,
    `${losses.join(' ')} Continue with --force. ${nothing}`,
    terminal,
  )
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Exit(EXIT.conflict, nothing)
}

async function removedValues(was: Model, field: Field, rows: Rows): Promise<string[]> {
  const { column } = field
  const count = await rows.count(
    field.type.isList
      ? hasJoined(was, field)
      : `${sqlName(column)} ${field.type.isArray ? "<> '{}'" : 'is not null'}`,
  )
  return count === 0 ? [] : [`${rowsWith(count)} a value in ${column}, which is deleted.`]
}

/** Throws if a value doesn't fit the new declaration. */
async function changedValues(from: Field, to: Field, rows: Rows): Promise<string[]> {
  if (from.type.isList) return []
  const column = sqlName(from.column)
  const [type, was] = [typeOf(to), typeOf(from)]
  // A column of an older table may have an enum type, which has no other values.
  const value = type === was && !to.values ? column : `(${column}::${type})`
  const refuseIf = async (where: string, fault: string) => {
    const count = await rows.count(where)
    if (count > 0) refuse(`${rowsWith(count)} ${fault}. Change these rows first.`)
  }
  if (from.nullable && !to.nullable && to.default === undefined)
    await refuseIf(`${column} is null`, `no ${from.column}`)
  if (to.unique && !from.unique)
    await refuseIf(
      `${column} in (select ${column} from ${sqlName(rows.table)} group by 1 having count(*) > 1)`,
      `a ${from.column} that another row has`,
    )
  try {
    const check = to.type.constraint?.(to, value)
    if (check)
      await refuseIf(`not (${check.condition})`, `a ${from.column} that the new declaration does not allow`)
    if (value === column) return []
    await rows.count(`${value} is null`)
  } catch (error) {
    if (error instanceof Exit) throw error
    refuse(
      `The values of ${from.column} can't become ${type}: ${(error as Error).message}. Change these values first.`,
    )
  }
  const count = await rows.count(`${value}::${was} is distinct from ${column}::${was}`).catch(() => null)
  return count === 0
    ? []
    : [
        `${count === null ? 'The rows have' : rowsWith(count)} a value of ${from.column} that changes as ${type}.`,
      ]
}

const rowsWith = (count: number) => (count === 1 ? 'One row has' : `${count} rows have`)

function refuse(message: string): never {
  throw new Exit(EXIT.conflict, `${message} Nothing was changed.`)
}
