import { field } from 'pergola'
import { fakeParagraphs } from './fake-text.ts'
import type { FieldType } from './field-type.ts'
import { lengthCode, lengthConstraint, lengthHint, limitsOf, readLength } from './limits.ts'
import { labelled } from './text-examples.ts'

/** The maximum length if the field declares none. */
const MOST = 20_000

/** A text with any number of lines. */
export const text: FieldType = {
  name: 'text',
  // A form has at most 256 kB.
  readLimits: readLength(50_000),
  rejects: {
    unique: "A text field can't be unique. Use string, which is short enough for an index.",
    index: 'A text field can be too long for an index. Use string.',
  },
  constraint: (field, column) =>
    (field.min ?? field.max) === undefined ? null : lengthConstraint(field, column, MOST),
  schemaCode: (field) => `field.text(${lengthCode(field)})`,
  schema: (definition) => field.text(limitsOf(definition)),
  inputOptions: () => ['rows: 6'],
  hint: (field) => [lengthHint(field), 'A blank line starts a new paragraph.'].filter(Boolean).join(' '),
  example: labelled,
  fakeCode: fakeParagraphs,
  invalidText: ({ nullable, max = MOST }) => (nullable ? 'x'.repeat(max + 1) : ''),
  isSearchable: true,
  isTooLongForLists: true,
  isLongText: true,
  acceptsAnyText: true,
}
