import type { FieldType, FieldWords, Limits } from '../field-types/field-type.ts'
import { rejectLimits } from '../field-types/limits.ts'
import { numbered } from '../field-types/text-examples.ts'
import type { Problems } from '../read/command-line-problems.ts'
import { array, badges } from './array-type.ts'

/** The largest number of values if the field declares none. */
const MOST = 100

/** Several lines of text: `labels:string[]`. */
export const stringArray: FieldType = {
  ...array,
  name: 'string[]',
  aliases: ['strings', 'array', 'text[]'],
  readLimits: readMost,
  constraint: ({ max = MOST }, column) => ({
    suffix: 'values',
    condition: `cardinality(${column}) <= ${max} and array_position(${column}, null) is null`,
  }),
  tsType: () => 'readonly string[]',
  schemaCode: ({ max }) => `arrayField.lines(${max === undefined ? '' : `{ max: ${max} }`})`,
  inputOptions: () => ['rows: 4'],
  hint: ({ max }) => `One per line${max === undefined ? '' : `, up to ${max}`}.`,
  markup: (value) => badges(value, 'one'),
  example: ({ label }) => {
    const { value, code } = numbered(`${label} `)
    return { value: (n) => [value(n)], code: (n) => `[${code(n)}]`, entered: value }
  },
  fakeCode: () => "faker.helpers.arrayElements(['blue', 'green', 'red', 'white'], { min: 0, max: 2 })",
  invalidText: () => 'x'.repeat(256),
  filter: { schemaCode: () => 'field.string()', isSeveral: true },
}

/** Parses the largest number of values: `{5}`. */
function readMost(words: FieldWords, problems: Problems): Limits {
  rejectLimits({ ...words, constraints: [], max: null }, problems)
  const part = problems.once([...words.constraints, ...(words.max ? [words.max] : [])])
  if (part === null) return { default: [] }
  const max = /^[1-9]\d?\d?$/.test(part.text) ? Number(part.text) : Infinity
  if (max > MOST) problems.add(part, `Write the largest number of values, from 1 to ${MOST}: {5}.`)
  return { default: [], max }
}
