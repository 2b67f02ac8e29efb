import type { Constraint, Field, FieldWords, FieldWithoutDefault, Limits } from './field-type.ts'
import type { Part, Problems } from '../read/command-line-problems.ts'

/** The valid limits of a type. */
interface Bounds {
  /** The largest limit: a number, or a number of characters. */
  readonly most: number
  readonly isLength?: true
  readonly isWhole?: true
  /** The advice if a limit is too large: `Use text for more.` */
  readonly alternative?: string | undefined
}

/** Parses `{3..120}` as the minimum and maximum length of a text. `{120}` is the maximum. */
export const readLength = (most: number, alternative?: string) =>
  readRange({ most, isLength: true, isWhole: true, alternative })

/** Parses `{3..120}` as the minimum and maximum of a number. */
export const readRange =
  (bounds: Bounds) =>
  (words: FieldWords, problems: Problems): Limits =>
    limitsIn(words, bounds, problems)

function limitsIn(words: FieldWords, bounds: Bounds, problems: Problems): Limits {
  const { isLength = false } = bounds
  const count = problems.list.length
  const range = problems.once(words.constraints)
  const [low, high] = range ? cut(range, isLength) : [null, null]
  const limit = (parts: readonly (Part | null)[]) =>
    limitIn(
      problems.once(parts.filter((part) => part !== null)),
      { ...bounds, name: words.type.name },
      problems,
    )
  const min = limit([low, words.min])
  const max = limit([high, words.max])
  const part = range ?? words.max ?? words.min
  if (part && min !== undefined && max !== undefined && min > max)
    problems.add(part, `The minimum ${min} is above the maximum ${max}: swap them.`)
  if (part && max === 0 && isLength) problems.add(part, 'A text needs room for 1 character or more.')
  if (part && min === 0 && isLength)
    problems.add(
      part,
      'To allow an empty value, make the field nullable with ? or :null. The minimum is 1 or more.',
    )
  if (problems.list.length > count) return {}
  return limitsOf({ min, max })
}

/** Splits `3..120` into its two sides. */
function cut({ text, ...place }: Part, isLength: boolean): [Part | null, Part | null] {
  const dots = text.indexOf('..')
  if (dots === -1) return isLength ? [null, { ...place, text }] : [{ ...place, text: `${text}..` }, null]
  const low = { ...place, text: text.slice(0, dots) }
  const high = { ...place, at: place.at + dots + 2, text: text.slice(dots + 2) }
  return [low.text ? low : null, high.text ? high : null]
}

function limitIn(
  part: Part | null,
  { name, most, isLength, isWhole, alternative }: Bounds & { name: string },
  problems: Problems,
): number | undefined {
  if (part === null) return undefined
  const pattern = isLength ? /^\d+$/ : isWhole ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/
  if (!pattern.test(part.text)) {
    problems.add(
      part,
      `Limits are ${isWhole ? 'whole numbers' : 'numbers'}: write {1..200}, :1..200 or :max(200).`,
    )
    return undefined
  }
  const number = Number(part.text)
  if (Math.abs(number) <= most) return number
  problems.add(
    part,
    `A field of type ${name} allows at most ${most.toLocaleString('en')}${isLength ? ' characters' : ''}.${alternative === undefined ? '' : ` ${alternative}`}`,
  )
  return undefined
}

/** Reports `:min(…)`, `:max(…)` and, if `constraints` is set, braces as problems. */
export function rejectLimits({ type, min, max, constraints }: FieldWords, problems: Problems): void {
  for (const part of [...constraints, min, max])
    if (part) problems.add(part, `A field of type ${type.name} has no limits. Remove this part.`)
}

/** Returns the declared limits as options of a schema. */
export const limitsOf = ({ min, max }: { min?: number | undefined; max?: number | undefined }) => ({
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
})

/** Returns code of the limits as options of a schema: `{ min: 1, max: 20_000 }`; empty without limits. */
export function limitsCode({ min, max }: FieldWithoutDefault): string {
  const limits = [
    ...(min === undefined ? [] : [`min: ${min}`]),
    ...(max === undefined ? [] : [`max: ${grouped(max)}`]),
  ]
  return limits.length === 0 ? '' : `{ ${limits.join(', ')} }`
}

/** Returns code of the limits of a text. Omits a minimum of 1, because every text has at least one character. */
export const lengthCode = ({ min, ...field }: Field): string =>
  limitsCode(min === undefined || min === 1 ? field : { ...field, min })

/** Formats 20000 as 20_000. */
const grouped = (number: number): string =>
  Number.isInteger(number) && Math.abs(number) >= 10_000
    ? String(number).replaceAll(/\B(?=(\d{3})+$)/g, '_')
    : String(number)

/** Returns `char_length(title) between 1 and 200`. The maximum defaults to `most`. */
export const lengthConstraint = ({ min, max }: Field, column: string, most: number): Constraint => ({
  suffix: 'length',
  condition: `char_length(${column}) between ${min ?? 1} and ${max ?? most}`,
})

/** Returns `level between 0 and 130`; null without limits. */
function rangeConstraint({ min, max }: Field, column: string): Constraint | null {
  const condition = (text: string): Constraint => ({ suffix: 'range', condition: `${column} ${text}` })
  if (min !== undefined && max !== undefined) return condition(`between ${min} and ${max}`)
  if (min !== undefined) return condition(`>= ${min}`)
  return max === undefined ? null : condition(`<= ${max}`)
}

/** Returns `From 3 to 120 characters.` */
export const lengthHint = ({ min, max }: Field): string | undefined =>
  boundsHint({ min: min !== undefined && min <= 1 ? undefined : min, max }, ' characters')

/** Returns `From 0 to 130.` */
const rangeHint = ({ min, max }: Field): string | undefined => boundsHint({ min, max }, '')

function boundsHint(
  { min, max }: { min: number | undefined; max: number | undefined },
  unit: string,
): string | undefined {
  if (min !== undefined && max !== undefined) return `From ${inEnglish(min)} to ${inEnglish(max)}${unit}.`
  if (max !== undefined) return `Up to ${inEnglish(max)}${unit}.`
  return min === undefined ? undefined : `${inEnglish(min)}${unit} or more.`
}

const inEnglish = (number: number) => number.toLocaleString('en', { maximumFractionDigits: 20 })

/** What all types of numbers share. */
export const ranged = { constraint: rangeConstraint, hint: rangeHint, isSortable: true } as const
