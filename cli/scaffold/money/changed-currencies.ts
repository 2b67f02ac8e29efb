import { isDeepStrictEqual } from 'node:util'
import type { Field } from '../field-types/field-type.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'
import { wordsOf } from '../read/names.ts'
import { isMixed } from './money.ts'

/** A field before and after a change. `to` is null if it is removed. */
interface FieldChange {
  readonly from: Field
  readonly to: Field | null
}

/** Returns the declaration of an amount after the field with its currency has a new name. */
export const currencyRenamed = (token: string, from: string, to: string): string =>
  token.replace(/(?<=^[^:]*:money\()[^)]*/, (name) => (wordsOf(name).join('_') === from ? to : name))

/** Reports a removed field that contains the currency of an amount. */
export function refuseRemovedCurrencies(
  all: readonly { readonly was: Field; readonly token: string | null }[],
  problems: Problems,
): void {
  const kept = all.filter(({ token }) => token?.includes(':money(')).map(({ was }) => was)
  for (const { was, token } of all) {
    const amount = token === null && kept.find(({ currency }) => currency?.column === was.column)
    if (amount)
      problems.add(
        wholeOf(`--remove ${was.name}`),
        `${was.name} is the currency of ${amount.name}. Remove both, or first change ${amount.name} with --type, for example to money{EUR}.`,
      )
  }
}

/** Returns the field with the column that contains its currency before the changes. */
export function withColumnBefore(field: Field, changes: readonly FieldChange[]): Field {
  const { currency } = field
  const before = currency?.column && changes.find(({ to }) => to?.column === currency.column)?.from
  return before ? { ...field, currency: { ...currency, column: before.column } } : field
}

/** Whether an amount gets another check. Each of two versions has the error for one of them. */
export const changesCheck = ({ from, to }: FieldChange): boolean =>
  to !== null && isMixed(to) && (from.column !== to.column || !isDeepStrictEqual(from.currency, to.currency))
