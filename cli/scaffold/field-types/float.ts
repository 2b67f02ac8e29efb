import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { fakeNumber } from './fake-numbers.ts'
import { limitsCode, limitsOf, ranged, readRange } from './limits.ts'
import { fraction } from './number-examples.ts'

const MOST = Number.MAX_VALUE

/** A double-precision number. */
export const float: FieldType = {
  ...ranged,
  name: 'float',
  aliases: ['double'],
  readLimits: readRange({ most: MOST }),
  sqlType: () => 'double precision',
  tsType: () => 'number',
  schemaCode: (field) => `field.float(${limitsCode(field)})`,
  schema: (definition) => field.float(limitsOf(definition)),
  inputOptions: () => ["type: 'number'", "step: 'any'"],
  example: fraction,
  fakeCode: (field) => fakeNumber(field, { digits: 2, most: MOST }),
  invalidText: () => 'many',
  filter: { schemaCode: () => 'field.float()', range: 'number' },
}
