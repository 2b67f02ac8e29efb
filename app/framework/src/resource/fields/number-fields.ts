import type { z } from 'zod'
import { reading, Refusal } from './read-field.ts'

export interface Range {
  min?: number | bigint
  max?: number | bigint
}

type Field<Value> = z.ZodType<Value, string | number>

/** Returns a schema for a whole number of 32 bits. */
export const integerField = ({ min = INT4.min, max = INT4.max }: Range = {}): Field<number> =>
  reading({
    kind: 'numeric',
    missing: NO_WHOLE,
    read: (text) => (WHOLE.test(text) ? inRange(Number(text) + 0, { min, max }) : new Refusal(NO_WHOLE)),
  })

/** Returns a schema for a whole number of 64 bits, as text: a JavaScript number would round it. */
export const bigintField = ({ min = INT8.min, max = INT8.max }: Range = {}): Field<string> =>
  reading({
    kind: 'numeric',
    missing: NO_WHOLE,
    read(text) {
      if (!WHOLE.test(text) || text.length > LONGEST) return new Refusal(NO_WHOLE)
      const number = inRange(BigInt(text), { min, max })
      return number instanceof Refusal ? number : String(number)
    },
  })

/** Returns a schema for a number with exactly `scale` decimal places, as text like that of Postgres. */
export function decimalField(precision = 12, scale = 2, { min, max }: Range = {}): Field<string> {
  const digits = precision - scale
  return reading({
    kind: 'numeric',
    missing: NO_NUMBER,
    read(text) {
      const [, sign = '', before, after = ''] = DECIMAL.exec(text) ?? []
      if (before === undefined || text.length > LONGEST) return new Refusal(NO_NUMBER)
      if (after.length > scale) return new Refusal(tooFine(scale))
      const whole = before.replace(/^0+/, '')
      if (whole.length > digits) return new Refusal(tooLarge(digits))
      const exact = (whole || '0') + (scale === 0 ? '' : `.${after.padEnd(scale, '0')}`)
      const within = inRange(Number(sign + exact), { min: min ?? -Infinity, max: max ?? Infinity })
      if (within instanceof Refusal) return within
      return /[1-9]/.test(exact) ? sign + exact : exact
    },
  })
}

/** Returns a schema for a double-precision number. Not for money. */
export const floatField = ({ min = -Infinity, max = Infinity }: Range = {}): Field<number> =>
  reading({
    kind: 'numeric',
    missing: NO_NUMBER,
    read(text) {
      const number = Number(text) + 0
      if (!FLOAT.test(text) || !Number.isFinite(number)) return new Refusal(NO_NUMBER)
      return inRange(number, { min, max })
    },
  })

const INT4 = { min: -2_147_483_648, max: 2_147_483_647 }
const INT8 = { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n }

const WHOLE = /^-?\d+$/
const DECIMAL = /^(-?)(?=\.?\d)(\d*)(?:\.(\d+))?$/
const FLOAT = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i
/** The longest accepted text of a number, in characters. */
const LONGEST = 1_000

const NO_WHOLE = 'Use a whole number.'
const NO_NUMBER = 'Use a number like 12 or 12.50.'
const tooLarge = (digits: number) =>
  digits === 0 ? 'Use a number below 1.' : `Use at most ${counted(digits, 'digit')} before the decimal point.`
const tooFine = (scale: number) =>
  scale === 0 ? NO_WHOLE : `Use at most ${counted(scale, 'decimal place')}.`
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function inRange<N extends number | bigint>(number: N, { min, max }: Required<Range>): N | Refusal {
  if (number < min) return new Refusal(`Use ${min.toLocaleString('en', ALL_DIGITS)} or more.`)
  return number > max ? new Refusal(`Use ${max.toLocaleString('en', ALL_DIGITS)} or less.`) : number
}

const ALL_DIGITS = { maximumFractionDigits: 20 } as const
