import { z } from 'zod'
import type { FieldType } from '../scaffold/field-types/field-type.ts'
import { numbered } from '../scaffold/field-types/text-examples.ts'

const MESSAGE = 'Use a duration like PT1H30M.'

/** A duration in ISO 8601, like `PT1H30M`. */
export const duration: FieldType = {
  name: 'duration',
  aliases: ['interval'],
  constraint: (_field, column) => ({ suffix: 'format', condition: `${column} like 'P%'` }),
  schemaCode: () => `z.iso.duration('${MESSAGE}')`,
  schema: () => z.iso.duration(MESSAGE),
  hint: () => 'Hours, minutes and seconds, like PT1H30M.',
  example: () => numbered('PT', 'M'),
  invalidText: () => 'half an hour',
  keepsEnteredText: true,
}
