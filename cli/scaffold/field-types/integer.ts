import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { fakeInteger } from './fake-numbers.ts'
import { limitsCode, limitsOf, ranged, readRange } from './limits.ts'
import { counted } from './number-examples.ts'

const MOST = 2_147_483_647

/** A whole number of 32 bits. */
export const integer: FieldType = {
  ...ranged,
  name: 'integer',
  aliases: ['int', 'number'],
  readLimits: readRange({ most: MOST, isWhole: true, alternative: 'Use bigint for more.' }),
  sqlType: () => 'integer',
  tsType: () => 'number',
  schemaCode: (field) => `field.integer(${limitsCode(field)})`,
  schema: (definition) => field.integer(limitsOf(definition)),
  inputOptions: () => ["type: 'number'"],
  example: counted,
  fakeCode: (field) => fakeInteger(field, MOST),
  invalidText: () => '1.5',
  filter: { schemaCode: () => 'field.integer()', range: 'number' },
  label: 'with --label',
}
