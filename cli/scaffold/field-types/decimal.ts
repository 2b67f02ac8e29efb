import { field } from 'pergola'
import { fakeNumber } from './fake-numbers.ts'
import type { Field, FieldType, FieldWords, Limits } from './field-type.ts'
import { limitsCode, limitsOf, ranged, readRange } from './limits.ts'
import { fixed } from './number-examples.ts'
import type { Part, Problems } from '../read/command-line-problems.ts'

const PRECISION = 12
const SCALE = 2

/**
 * A number with a fixed number of decimal places, like a price. Values are text, because a JavaScript number would
 * round them.
 */
export const decimal: FieldType = {
  ...ranged,
  name: 'decimal',
  aliases: ['numeric'],
  readLimits,
  sqlType: ({ precision = PRECISION, scale = SCALE }) => `numeric(${precision}, ${scale})`,
  schemaCode: (field) => `field.decimal(${argumentsOf(field)})`,
  schema: (definition) => field.decimal(definition.precision, definition.scale, limitsOf(definition)),
  inputOptions: ({ scale = SCALE }) => ["type: 'number'", `step: '${(10 ** -scale).toFixed(scale)}'`],
  example: fixed,
  fakeCode: (field) => fakeDecimal(field),
  invalidText: () => 'many',
  filter: {
    schemaCode: ({ min: _min, max: _max, ...field }) => `field.decimal(${argumentsOf(field)})`,
    range: 'number',
  },
}

const readBounds = readRange({ most: 1e15 })

export const isRange = ({ text }: Part): boolean => text.includes('..')

/** Reads `{12,2}{0..100}`: the digits, then the range. */
function readLimits(words: FieldWords, problems: Problems): Limits {
  const size = readSize(problems.once(words.constraints.filter((part) => !isRange(part))), problems)
  return { ...size, ...readBounds({ ...words, constraints: words.constraints.filter(isRange) }, problems) }
}

function readSize(size: Part | null, problems: Problems): Limits {
  if (size === null) return { precision: PRECISION, scale: SCALE }
  const [, all, behind] = /^(\d{1,4})(?:,(\d{1,4}))?$/.exec(size.text) ?? []
  const precision = Number(all)
  const scale = Number(behind ?? 0)
  if (all === undefined)
    problems.add(size, 'Write the number of digits and the number of decimal places: {12,2}.')
  else if (precision < 1 || precision > 100) problems.add(size, 'A decimal has 1 to 100 digits: {12,2}.')
  else if (scale > precision)
    problems.add(
      size,
      `${scale} decimal places need ${scale} digits or more. Write {${scale},${precision}}, or fewer decimal places.`,
    )
  return { precision, scale }
}

/** Returns code of a realistic number with up to `digits` of its decimal places, as text. */
export function fakeDecimal(field: Field, digits = field.scale ?? SCALE): string | null {
  const { precision = PRECISION, scale = SCALE } = field
  const code = fakeNumber(field, { digits, most: 10 ** (precision - scale) - 10 ** -digits })
  return code && `${code}.toFixed(${scale})`
}

function argumentsOf(field: Field): string {
  const { precision = PRECISION, scale = SCALE } = field
  const limits = limitsCode(field)
  if (limits !== '') return `${precision}, ${scale}, ${limits}`
  return precision === PRECISION && scale === SCALE ? '' : `${precision}, ${scale}`
}
