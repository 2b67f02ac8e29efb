import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { fakeInteger } from './fake-numbers.ts'
import { limitsCode, limitsOf, rangeConstraint, rangeHint, readRange } from './limits.ts'
import { counted } from './number-examples.ts'

const MOST = 2_147_483_647

/** A whole number of 32 bits. */
export const integer: FieldType = {
  name: 'integer',
  aliases: ['int', 'number'],
  readLimits: readRange({ most: MOST, isWhole: true, alternative: 'Use bigint for more.' }),
  sqlType: () => 'integer',
  constraint: rangeConstraint,
  tsType: () => 'number',
  schemaCode: (field) => `field.integer(${limitsCode(field)})`,
  schema: (definition) => field.integer(limitsOf(definition)),
  inputOptions: () => ["type: 'number'"],
  hint: rangeHint,
  example: counted,
  fakeCode: (field) => fakeInteger(field, MOST),
  invalidText: () => '1.5',
  isSortable: true,
  filter: { schemaCode: () => 'field.integer()', range: 'number' },
  label: 'with --label',
}
