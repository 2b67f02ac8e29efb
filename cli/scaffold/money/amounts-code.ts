import { checkOf } from '../code/migration-code.ts'
import { inputFields } from '../code/model-fields.ts'
import { quoted } from '../code/snippets.ts'
import type { Model } from '../model.ts'
import { withArticle } from '../read/names.ts'
import { digitsOf } from './currency.ts'
import { fewestDigits, isMixed, type MixedAmount } from './money.ts'

/** Returns the option of a resource with the errors of amounts that have more decimal places than their currency. */
export function checksOption(model: Model): string[] {
  const errors = mixedAmounts(model).map((field) => {
    const { name = '' } = checkOf(model.names.table, field) ?? {}
    return `${name}: { field: '${field.column}', message: ${quoted(tooManyDigits(field))} }`
  })
  return errors.length === 0 ? [] : [`checks: { ${errors.join(', ')} }`]
}

const mixedAmounts = (model: Model): MixedAmount[] => inputFields(model).filter(isMixed)

/** Returns `Use at most 2 decimal places in EUR and USD, 0 in JPY.` */
function tooManyDigits({ currency }: MixedAmount): string {
  const groups = [...Map.groupBy(currency.codes, digitsOf)].toSorted(([one], [other]) => other - one)
  const parts = groups.map(
    ([digits, codes], at) =>
      `${digits}${at === 0 ? ` decimal place${digits === 1 ? '' : 's'}` : ''} in ${LIST.format(codes)}`,
  )
  return `Use at most ${parts.join(', ')}.`
}

const LIST = new Intl.ListFormat('en')

/** An amount in the generated tests that only some of its currencies have. */
interface RefusedAmount {
  readonly column: string
  /** The words of both fields in a sentence: `price`, `a price`, `currency`. */
  readonly amount: string
  readonly anAmount: string
  readonly currency: string
  readonly typed: string
  /** The amount in a currency that has it, and in one that doesn't. */
  readonly fine: string
  readonly coarse: string
}

/** Returns an amount for each field whose currencies differ in their decimal places. */
export const refusedAmounts = (model: Model): RefusedAmount[] =>
  mixedAmounts(model).map((field) => {
    const { codes, column } = field.currency
    const codeWith = (digits: number) => quoted(codes.find((code) => digitsOf(code) === digits) ?? '')
    const coarse = `${column}: ${codeWith(fewestDigits(field))}`
    const amount = `${field.column}: ${quoted(halfAmount(field))}`
    return {
      column: field.column,
      amount: field.label.toLowerCase(),
      anAmount: withArticle(field.label.toLowerCase()),
      currency: column.replaceAll('_', ' '),
      typed: `${coarse}, ${amount}`,
      fine: `${column}: ${codeWith(field.scale)}, ${amount}`,
      coarse,
    }
  })

/** Returns an amount between the first two that every currency has: `0.50`. */
function halfAmount(field: MixedAmount): string {
  const first = Number(field.type.example?.(field).value(0))
  return (first + 0.5 * 10 ** -fewestDigits(field)).toFixed(field.scale)
}
