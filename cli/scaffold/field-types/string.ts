import { field } from 'pergola'
import { fakeLine, fakeLineLimit, unusedLine } from './fake-text.ts'
import type { FieldType } from './field-type.ts'
import { lengthCode, lengthConstraint, lengthHint, limitsOf, readLength } from './limits.ts'
import { labelled } from './text-examples.ts'

/** The maximum length if the field declares none. */
const MOST = 255

/** One line of text. */
export const string: FieldType = {
  name: 'string',
  aliases: ['char', 'str', 'varchar'],
  // A value in an index has at most 2.7 kB.
  readLimits: readLength(500, 'Use text for more.'),
  constraint: (field, column) => lengthConstraint(field, column, MOST),
  schemaCode: (field) => `field.string(${lengthCode(field)})`,
  schema: (definition) => field.string(limitsOf(definition)),
  hint: lengthHint,
  // Isolates the text, which may be written from right to left.
  markup: (value) => `<bdi><%= ${value} %></bdi>`,
  example: labelled,
  fakeCode: fakeLine,
  seedCode: unusedLine,
  fakeLimit: fakeLineLimit,
  invalidText: ({ nullable, max = MOST }) => (nullable ? 'x'.repeat(max + 1) : ''),
  isSortable: true,
  label: 'first choice',
  isSearchable: true,
  acceptsAnyText: true,
}
