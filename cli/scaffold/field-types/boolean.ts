import type { FieldType } from './field-type.ts'
import type { Part, Problems } from '../read/command-line-problems.ts'

/** True or false, entered by a checkbox. */
export const boolean: FieldType = {
  name: 'boolean',
  aliases: ['bool'],
  readDefault,
  rejects: {
    nullable: 'A checkbox has no third state: remove this, or use enum{yes,no,unknown}.',
    unique: "A boolean field can't be unique.",
  },
  sqlType: () => 'boolean',
  tsType: () => 'boolean',
  inputOptions: () => ["type: 'checkbox'"],
  markup: (value) => `<%= ${value} ? 'Yes' : 'No' %>`,
  example: () => ({
    value: (n) => n % 2 === 1,
    code: (n) => `${n} % 2 === 1`,
    entered: (n) => (n % 2 === 1 ? 'on' : ''),
  }),
  fakeCode: () => 'faker.datatype.boolean()',
  invalidText: () => null,
  browserInput: () => ({ enter: 'check()', change: 'uncheck()' }),
  filter: { schemaCode: () => 'z.stringbool()', hasChoices: true },
  isCheckbox: true,
}

/** Returns the default. It is false if none is declared, because the checkbox of a new form is not checked. */
function readDefault(part: Part | null, problems: Problems): boolean {
  if (part !== null && part.text !== 'true' && part.text !== 'false')
    problems.add(part, 'The default of a boolean is true or false.')
  return part?.text === 'true'
}
