import { field } from 'pergola'
import { humanize } from 'pergola/app'
import { type Choice, constantOf, optionsCode, quoted } from '../code/snippets.ts'
import { sqlText } from '../code/sql-names.ts'
import { isOfObjects } from '../read/reserved.ts'
import type { Problems } from '../read/command-line-problems.ts'
import type { Field, FieldType, FieldWords, Limits } from './field-type.ts'
import { rejectLimits } from './limits.ts'

const choicesOf = ({ values = [] }: Field): Choice[] => values.map((value) => [value, humanize(value)])

/** One of a few words: `enum{draft,published}`. */
export const enumeration: FieldType = {
  name: 'enum',
  readLimits: readValues,
  rejects: { unique: "An enum field can't be unique." },
  constraint: ({ values = [] }, column) => ({
    suffix: 'values',
    condition: `${column} in (${values.map(sqlText).join(', ')})`,
  }),
  tsType: (field) => `(typeof ${constantOf(field)})[number]`,
  schemaCode: (field) => `field.enum(${constantOf(field)})`,
  schema: ({ values = [] }) => field.enum(values),
  inputOptions: (field) => [
    `type: 'select', options: ${optionsCode([...(field.nullable ? [['', ''] as const] : []), ...choicesOf(field)])}`,
  ],
  markup: (value, field) =>
    `<%~ include('/partials/badge', { value: ${value}${isState(field) ? ', dot: true' : ''} }) %>`,
  example: (field) => ({
    value: (n) => valueAt(field, n),
    // Every record gets the same value, because tests may depend on it.
    code: () => quoted(valueAt(field, 1)),
  }),
  fakeCode: (field) => `faker.helpers.arrayElement(${constantOf(field)})`,
  invalidText: () => 'none of these',
  browserInput: ({ values = [] }) => {
    const select = `selectOption(${quoted(values[0] ?? '')})`
    return { enter: select, change: select }
  },
  filter: { schemaCode: (field) => `field.enum(${constantOf(field)})`, isSeveral: true, hasChoices: true },
}

/** Whether the values are states, by the transitions or the name of the field. */
export const isState = ({ next, values, name }: Field): boolean =>
  values !== undefined && (next !== undefined || /(?:^|_)(?:state|status)$/.test(name))

/** Returns the values in turn, the default last, so that examples differ from the default of the form. */
export function valueAt({ values = [], default: usual }: Field, n: number): string {
  const ordered = [...values.filter((value) => value !== usual), ...values.filter((value) => value === usual)]
  return ordered[(n - 1) % ordered.length] ?? ''
}

function readValues(words: FieldWords, problems: Problems): Limits {
  const { constraints, token } = words
  rejectLimits({ ...words, constraints: [] }, problems)
  const list = problems.once(constraints)
  if (list === null) {
    problems.add(
      { token, at: 0, text: token },
      'An enum needs its values: write {draft,published} or :draft,published.',
    )
    return {}
  }
  const values = list.text.split(',').map((value) => value.trim())
  const wrong = values.find((value) => !/^[a-z][\w-]{0,59}$/i.test(value) || isOfObjects(value))
  const twice = values.find(
    (value, at) => values.findIndex((other) => other.toLowerCase() === value.toLowerCase()) < at,
  )
  if (wrong !== undefined)
    problems.add(
      list,
      `Values of an enum begin with a letter and have letters, digits, _ and -; ${wrong === '' ? 'one is empty' : `"${wrong}" is not valid`}. Write {draft,published}.`,
    )
  else if (twice !== undefined) problems.add(list, `"${twice}" occurs twice: write it once.`)
  else if (values.length < 2) problems.add(list, 'An enum needs two values or more: {draft,published}.')
  return { values }
}
