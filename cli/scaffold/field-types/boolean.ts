import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { rejectLimits } from './limits.ts'

/** True or false, entered by a checkbox. */
export const boolean: FieldType = {
  name: 'boolean',
  aliases: ['bool'],
  // The checkbox of a new form is not checked.
  readLimits(words, problems) {
    rejectLimits(words, problems)
    return words.as ? {} : { default: false }
  },
  schema: () => z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }),
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
