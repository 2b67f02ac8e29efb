import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { limitsCode, limitsOf, rangeConstraint, rangeHint, readRange } from './limits.ts'
import { counted } from './number-examples.ts'

/** A whole number of 32 bits. */
export const integer: FieldType = {
  name: 'integer',
  aliases: ['int', 'number'],
  readLimits: readRange({ most: 2_147_483_647, isWhole: true, alternative: 'Use bigint for more.' }),
  sqlType: () => 'integer',
  constraint: rangeConstraint,
  tsType: () => 'number',
  schemaCode: (field) => `field.integer(${limitsCode(field)})`,
  schema: (given) => field.integer(limitsOf(given)),
  inputOptions: () => ["type: 'number'"],
  hint: rangeHint,
  example: counted,
  invalidText: () => '1.5',
  isSortable: true,
  label: 'with --label',
}
