import { isDeepStrictEqual } from 'node:util'
import { changesCheck } from '../money/changed-currencies.ts'
import { Problems, wholeOf } from '../read/command-line-problems.ts'
import type { ChangedModel, FieldChange } from './change-model.ts'
import { typeOf } from './changed-columns.ts'
import { computedFrom } from './changed-expressions.ts'

export const isMoved = ({ from, to }: FieldChange): boolean => to !== null && from.column !== to.column
export const isRequired = ({ from, to }: FieldChange): boolean => to !== null && from.nullable && !to.nullable

/** Throws for a change that one version of the application can't carry out beside another. */
export function checkTwoSteps({ fields, added }: ChangedModel): void {
  const problems = new Problems()
  const wrong = (message: string) => problems.add(wholeOf('--two-steps'), message)
  if (fields.every(({ from, to }) => isDeepStrictEqual(from, to))) wrong('No field changes.')
  for (const change of fields) {
    const { from, to } = change
    if (from.type.isList && isMoved(change))
      wrong(`A join table stores the ${from.name}: rename them without --two-steps, while no process runs.`)
    else if (
      isMoved(change) &&
      computedFrom(
        fields.map((one) => one.from),
        from.column,
      )
    )
      wrong(
        `Postgres computes values from ${from.name}: rename it without --two-steps, while no process runs.`,
      )
    else if (changesCheck(change))
      wrong(
        `The database checks ${from.name} with its currency: change it without --two-steps, while no process runs.`,
      )
    else if (added.some(({ column }) => column === from.column))
      wrong(`The table keeps ${from.name} until the second migration. Give the new field another name.`)
    else if (to && !isMoved(change) && typeOf(from) !== typeOf(to))
      wrong(
        `For a while the table has both columns, so ${from.name} needs another name: add --rename ${from.name}:new_name.`,
      )
    else if (to && isMoved(change) && isRequired(change))
      wrong(`Require ${to.name} with a second command, after this change.`)
  }
  problems.raise()
}
