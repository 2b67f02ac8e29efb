import { columnsIn, renamedIn } from '../computed/expression.ts'
import type { Field } from '../field-types/field-type.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'
import { typeOf } from './changed-columns.ts'

/** Returns the declaration of a field after a column has a new name. Postgres renames it in the column itself. */
export const computedRenamed = (token: string, from: string, to: string): string =>
  token.replace(/(?<=:as\().*(?=\))/, (expression) => renamedIn(expression, from, to))

/** Returns the field that is computed from a column, or the computed field itself; undefined for other columns. */
export const computedFrom = (fields: readonly Field[], column: string): Field | undefined =>
  fields.find(
    (one) =>
      one.computed !== undefined && (one.column === column || columnsIn(one.computed).includes(column)),
  )

const remedy = (name: string, from: string) =>
  `${name} is computed from ${from}. Remove ${name} first; you can add it again.`

/** Reports a removed column from which another one is computed. */
export function refuseRemovedColumns(
  all: readonly { readonly was: Field; readonly token: string | null }[],
  problems: Problems,
): void {
  const kept = all.filter(({ token }) => token !== null).map(({ was }) => was)
  for (const { was, token } of all) {
    const dependent = token === null && computedFrom(kept, was.column)
    if (dependent) problems.add(wholeOf(`--remove ${was.name}`), remedy(dependent.name, was.name))
  }
}

/** Reports changes that Postgres refuses: of a computed column, and of the type of a column from which one is computed. */
export function refuseComputed(
  fields: readonly { readonly from: Field; readonly to: Field | null }[],
  problems: Problems,
): void {
  const kept = fields.flatMap(({ from, to }) => (to ? [{ from, to }] : []))
  const renamed = (text: string) =>
    kept.reduce((result, { from, to }) => renamedIn(result, from.column, to.column), text)
  for (const { from, to } of kept) {
    const option = wholeOf(`--type ${to.name}`)
    const isRetyped = typeOf(from) !== typeOf(to)
    const isOther = (from.computed && renamed(from.computed)) !== to.computed
    const dependent = computedFrom(
      kept.map((one) => one.from),
      from.column,
    )
    if (isOther || (from.computed && isRetyped))
      problems.add(option, `A computed column can't change. Remove ${from.name}, then add it again.`)
    else if (dependent && isRetyped) problems.add(option, remedy(dependent.name, from.name))
  }
}
