import type { Example, Field } from './field-type.ts'

interface Range {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

const MANY = 1_000_000_000
/** More values than a seed or a test creates. With this many values, the code needs no `%`. */
const ENOUGH = 1000

/** Returns numbers from the minimum in steps of 1 (0.01 with two decimal places), and starts again after the maximum. */
export function counted({ min, max }: Range, decimals = 0): Example<number> {
  const scale = 10 ** decimals
  const first = Math.ceil((min ?? usualLeast(max)) * scale - 1e-6)
  const last = max === undefined ? first + MANY : Math.floor(max * scale + 1e-6)
  const count = last - first + 1
  const turn = (n: string) => (count >= ENOUGH ? n : `${n} % ${count}`)
  const whole = (n: string) => (first === 0 ? turn(n) : `${first} + ${turn(n)}`)
  return {
    value: (n) => (first + (n % count)) / scale,
    code: (n) => (decimals > 0 ? `(${whole(n)}) / ${scale}` : whole(n)),
  }
}

/** Returns the numbers of `counted` as text, like the values of a bigint. */
export function countedText(range: Range): Example<string> {
  const { value, code } = counted(range)
  return { value: (n) => String(value(n)), code: (n) => `String(${code(n)})` }
}

/** Returns numbers with a fixed number of decimal places as text. Those after the first `digits` are zeros. */
export function fixed({ scale = 2, precision = 12, min, max }: Field, digits = scale): Example<string> {
  const most = 10 ** (precision - scale) - 10 ** -digits
  const bounded = { min: Math.max(min ?? usualLeast(max), -most), max: Math.min(max ?? most, most) }
  const isRoomy = bounded.max - bounded.min >= 100
  const { value, code } = counted(bounded, isRoomy ? 0 : digits)
  return { value: (n) => value(n).toFixed(scale), code: (n) => `(${code(n)}).toFixed(${scale})` }
}

export function fraction({ min, max }: Field): Example<number> {
  const isNarrow = min !== undefined && max !== undefined && max - min < 100
  return counted({ min, max }, isNarrow ? Math.max(2, decimalsOf(min), decimalsOf(max)) : 0)
}

const decimalsOf = (number: number): number => String(number).split('.')[1]?.length ?? 0

const usualLeast = (max: number | undefined): number => (max !== undefined && max < 0 ? max - 1_000_000 : 0)
