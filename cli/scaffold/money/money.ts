import { quoted } from '../code/snippets.ts'
import { sqlName, sqlText } from '../code/sql-names.ts'
import { decimal, fakeDecimal, isRange } from '../field-types/decimal.ts'
import type { Constraint, Field, FieldType, FieldWords, Limits } from '../field-types/field-type.ts'
import { readRange } from '../field-types/limits.ts'
import { fixed } from '../field-types/number-examples.ts'
import type { Problems } from '../read/command-line-problems.ts'
import { digitsOf } from './currency.ts'

/** The number of digits before the decimal point. */
const WHOLE_DIGITS = 12

/** An exact amount of one currency, `price:money{EUR}`, or of the currency in another field, `price:money(currency)`. */
export const money: FieldType = {
  ...decimal,
  name: 'money',
  aliases: ['amount', 'currency'],
  takesField: true,
  readLimits,
  check,
  constraint: amountConstraint,
  inputOptions: (field) => [
    ...(decimal.inputOptions?.(field) ?? []),
    "inputmode: 'decimal'",
    ...(unitOf(field) === undefined ? [] : [`unit: '${unitOf(field)}'`]),
  ],
  markup: (value, { currency }) => {
    const code = currency?.column ? value.replace(/\w+$/, currency.column) : quoted(currency?.codes[0] ?? '')
    return `<%= it.formatMoney(${value}, ${code}) %>`
  },
  example: (field) => fixed(field, fewestDigits(field)),
  fakeCode: (field) => fakeDecimal(field, fewestDigits(field)),
  invalidText: ({ scale = 0 }) => `1.${'0'.repeat(scale)}1`,
  isAlignedToEnd: true,
}

/** Returns the only currency of an amount. */
export const unitOf = ({ currency }: Field): string | undefined =>
  currency?.column === undefined ? currency?.codes[0] : undefined

/** Returns the number of decimal places that an amount may have in every currency. */
export const fewestDigits = ({ currency }: Pick<Field, 'currency'>): number =>
  Math.min(...(currency?.codes ?? []).map(digitsOf))

const readBounds = readRange({ most: 10 ** WHOLE_DIGITS })

function readLimits({ currency, ...words }: FieldWords, problems: Problems): Limits {
  if (currency === undefined) return {}
  const scale = Math.max(...currency.codes.map(digitsOf))
  const bounds = readBounds({ ...words, constraints: words.constraints.filter(isRange) }, problems)
  return { currency, precision: WHOLE_DIGITS + scale, scale, ...bounds }
}

/** Reports a default and a range that are not amounts of every currency. */
function check(field: Field, { default: part, constraints, ...words }: FieldWords, problems: Problems): void {
  const { default: usual, min = -Infinity, max = Infinity } = field
  const digits = fewestDigits(field)
  const [, fraction = ''] = /\.(\d*?)0*$/.exec(String(usual)) ?? []
  if (part && fraction.length > digits)
    problems.add(part, `Not every currency of ${field.name} has these decimal places.`)
  const limit = constraints.find(isRange) ?? words.max ?? words.min
  const smallest = 10 ** -digits
  if (limit && Math.ceil(min / smallest) > Math.floor(max / smallest))
    problems.add(limit, `Not every currency of ${field.name} has an amount in this range.`)
}

/** Returns the check of the range and, if the currencies differ in their decimal places, of these. */
function amountConstraint(field: Field, column: string): Constraint | null {
  const range = decimal.constraint?.(field, column) ?? null
  if (!isMixed(field)) return range
  const { currency, scale } = field
  const cases = currency.codes
    .filter((code) => digitsOf(code) < scale)
    .map((code) => `when ${sqlText(code)} then ${digitsOf(code)}`)
  const digits = `${column} = round(${column}, case ${sqlName(currency.column)} ${cases.join(' ')} else ${scale} end)`
  return { suffix: 'amount', condition: [...(range ? [range.condition] : []), digits].join(' and ') }
}

/** An amount whose currencies differ in their decimal places. */
export interface MixedAmount extends Field {
  readonly scale: number
  readonly currency: { readonly codes: readonly string[]; readonly column: string }
}

export const isMixed = (field: Field): field is MixedAmount =>
  field.currency?.column !== undefined && fewestDigits(field) < (field.scale ?? 0)
