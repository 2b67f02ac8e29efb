import { humanize } from 'pergola/app'
import { constantOf, optionsCode, quoted } from '../code/snippets.ts'
import { sqlText } from '../code/sql-names.ts'
import { enumeration, valueAt } from '../field-types/enum.ts'
import type { FieldType } from '../field-types/field-type.ts'
import { array, badges } from './array-type.ts'

/** Some of a few words: `days:enum[]{mon,tue}`. */
export const enumArray: FieldType = {
  ...array,
  name: 'enum[]',
  aliases: ['enums', 'set'],
  readLimits: (words, problems) => ({ ...enumeration.readLimits?.(words, problems), default: [] }),
  constraint: ({ values = [] }, column) => ({
    suffix: 'values',
    condition: `${column} <@ array[${values.map(sqlText).join(', ')}]`,
  }),
  tsType: (field) => `readonly (typeof ${constantOf(field)})[number][]`,
  schemaCode: (field) => `arrayField.choices(${constantOf(field)})`,
  inputOptions: ({ values = [] }) => [
    `type: 'checkboxes', options: ${optionsCode(values.map((value) => [value, humanize(value)]))}`,
  ],
  markup: (value) => badges(value, 'it.humanize(one)'),
  example: (field) => ({
    value: (n) => [valueAt(field, n)],
    code: () => `[${quoted(valueAt(field, 1))}]`,
    entered: (n) => valueAt(field, n),
  }),
  fakeCode: (field) => `${constantOf(field)}.filter(() => faker.datatype.boolean())`,
  invalidText: () => 'none of these',
  browserInput: () => ({
    enter: "getByRole('checkbox').first().check()",
    change: "getByRole('checkbox').last().check()",
  }),
  filter: {
    schemaCode: (field) => `field.enum(${constantOf(field)})`,
    isSeveral: true,
    hasChoices: true,
  },
  isGroup: true,
}
