import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { limitsCode, limitsOf, rangeConstraint, rangeHint, readRange } from './limits.ts'
import { fraction } from './number-examples.ts'

/** A number of double precision. */
export const float: FieldType = {
  name: 'float',
  aliases: ['double'],
  readLimits: readRange({ most: Number.MAX_VALUE }),
  sqlType: () => 'double precision',
  constraint: rangeConstraint,
  tsType: () => 'number',
  schemaCode: (field) => `field.float(${limitsCode(field)})`,
  schema: (given) => field.float(limitsOf(given)),
  inputOptions: () => ["type: 'number'", "step: 'any'"],
  hint: rangeHint,
  example: fraction,
  invalidText: () => 'many',
  isSortable: true,
}
