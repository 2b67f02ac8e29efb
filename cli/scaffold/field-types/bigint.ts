import { field } from 'pergola'
import { fakeInteger } from './fake-numbers.ts'
import type { Field, FieldType, FieldWords } from './field-type.ts'
import { limitsCode, limitsOf, ranged, readRange } from './limits.ts'
import { countedText } from './number-examples.ts'
import type { Problems } from '../read/command-line-problems.ts'

/** A whole number of 64 bits. Values are text, because a JavaScript number would round them. */
export const bigint: FieldType = {
  ...ranged,
  name: 'bigint',
  aliases: ['bigserial'],
  readLimits: readRange({ most: Number.MAX_SAFE_INTEGER, isWhole: true }),
  check: checkColumn,
  sqlType: () => 'bigint',
  schemaCode: (field) => `field.bigint(${limitsCode(field)})`,
  schema: (definition) => field.bigint(limitsOf(definition)),
  example: countedText,
  fakeCode: (field) => {
    const code = fakeInteger(field, Number.MAX_SAFE_INTEGER)
    return code && `String(${code})`
  },
  invalidText: () => 'many',
  filter: { schemaCode: () => 'field.bigint()', range: 'number' },
  label: 'with --label',
}

function checkColumn({ column }: Field, { name }: FieldWords, problems: Problems): void {
  if (!/(?:^|_)id$/.test(column)) return
  problems.add(
    name,
    `A column named ${column} is treated as an id, which is a number, and a bigint can be too large for a number: ` +
      `make it a string, or use another name, like ${column.replace(/id$/, 'number')}.`,
  )
}
