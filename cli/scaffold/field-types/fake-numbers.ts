import type { Field } from './field-type.ts'

interface Range {
  readonly min: number
  readonly max: number
}

/** The usual ranges of fields with these names. */
const BY_NAME: readonly (readonly [pattern: RegExp, range: Range])[] = [
  [/(?:^|_)year$/, { min: 1990, max: 2026 }],
  [/(?:^|_)age$/, { min: 18, max: 90 }],
  [/(?:^|_)(?:rating|stars)$/, { min: 1, max: 5 }],
  [/(?:^|_)(?:servings|seats|rooms)$/, { min: 1, max: 8 }],
]
const USUAL: Range = { min: 1, max: 100 }

/** Returns code like `faker.number.int({ min: 1, max: 100 })`; null for a unique field. */
export function fakeInteger(field: Field, most: number): string | null {
  const range = rangeOf(field, most)
  const [min, max] = [Math.ceil(range.min), Math.floor(range.max)]
  return field.unique || min > max ? null : `faker.number.int({ min: ${min}, max: ${max} })`
}

/** Returns code like `faker.number.float({ min: 1, max: 100, fractionDigits: 2 })`; null if unique or out of range. */
export function fakeNumber(field: Field, { digits, most }: { digits: number; most: number }): string | null {
  if (digits === 0) return fakeInteger(field, most)
  const range = rangeOf(field, most)
  const scale = 10 ** digits
  const [min, max] = [Math.ceil(range.min * scale) / scale, Math.floor(range.max * scale) / scale]
  // Beyond these limits, JavaScript numbers have too few digits.
  if (field.unique || digits > 6 || min > max || !Number.isSafeInteger(max * scale)) return null
  return `faker.number.float({ min: ${min}, max: ${max}, fractionDigits: ${digits} })`
}

/** Returns the part of the usual range that is within the field's limits, or a range next to the limit if there is none. */
function rangeOf({ name, min: declaredMin, max: declaredMax }: Field, most: number): Range {
  const usual = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? USUAL
  const [least, last] = [Math.max(declaredMin ?? -most, -most), Math.min(declaredMax ?? most, most)]
  const within = (number: number) => Math.min(Math.max(number, least), last)
  const [min, max] = [within(usual.min), within(usual.max)]
  if (min < max) return { min, max }
  return last === max
    ? { min: Math.max(least, last > 0 ? 0 : last - 100), max: last }
    : { min: least, max: Math.min(last, least + 100) }
}
