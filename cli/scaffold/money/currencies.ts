import { choices, nearest } from '../../nearest.ts'
import { isRange } from '../field-types/decimal.ts'
import type { FieldWords } from '../field-types/field-type.ts'
import { type Part, Problems, wholeOf } from '../read/command-line-problems.ts'
import { wordsOf } from '../read/names.ts'
import type { Currency } from './currency.ts'

const CODES = Intl.supportedValuesOf('currency')

/** Returns the words with the currency of each amount. Leaves out an amount without one, and reports it. */
export const withCurrencies = (all: readonly FieldWords[], problems: Problems): FieldWords[] =>
  all.flatMap((words) => {
    if (!words.type.takesField) return words
    const currency = currencyOf(words, all, problems)
    return currency === null ? [] : { ...words, currency }
  })

function currencyOf(words: FieldWords, all: readonly FieldWords[], problems: Problems): Currency | null {
  const { token, target, constraints } = words
  const code = problems.once(constraints.filter((part) => !isRange(part)))
  if (code !== null && target === null) return fixedCurrency(code, problems)
  if (code === null && target !== null) return currencyIn(target, all, problems)
  problems.add(
    code ?? wholeOf(token),
    "An amount has one currency, or another field with its currency: write 'price:money{EUR}', or 'price:money(currency)' beside 'currency:enum{EUR,USD}'.",
  )
  return null
}

function fixedCurrency(part: Part, problems: Problems): Currency | null {
  const { text } = part
  if (CODES.includes(text)) return { codes: [text] }
  const several = `For several currencies, write 'price:money(currency)' beside 'currency:enum{${text}}'.`
  problems.add(part, text.includes(',') ? several : unknownCode(text))
  return null
}

/** Returns the currencies of another field. */
function currencyIn(part: Part, all: readonly FieldWords[], problems: Problems): Currency | null {
  const names = all.map(({ name }) => nameIn(name))
  const column = nameIn(part)
  const field = all[names.indexOf(column)]
  const codes = field ? valuesOf(field) : []
  const message = field
    ? refusalOf(field, codes)
    : `Unknown field ${part.text}. ${choices(names, nearest(column, names))}`
  if (message === null) return { codes, column }
  problems.add(part, message)
  return null
}

const nameIn = ({ text }: Part): string => wordsOf(text).join('_')

/** Returns the values of an enum; empty for other fields. */
const valuesOf = (words: FieldWords): readonly string[] =>
  (words.type.name === 'enum' && words.type.readLimits?.(words, new Problems()).values) || []

function refusalOf(field: FieldWords, codes: readonly string[]): string | null {
  const name = nameIn(field.name)
  const unknown = codes.find((code) => !CODES.includes(code))
  if (codes.length === 0) return `${name} must be an enum of currencies: write '${name}:enum{EUR,USD}'.`
  if (unknown !== undefined) return unknownCode(unknown)
  if (field.nullable) return `An amount needs a currency: make ${name} required.`
  return field.private ? `Pages show amounts with their currency: remove :private from ${name}.` : null
}

function unknownCode(text: string): string {
  const similar = nearest(text, CODES)
  return `Unknown currency ${text}. ${similar === null ? '' : `Did you mean ${similar}? `}Use a code of ISO 4217, like EUR.`
}
