import type { z } from 'zod'
import { field } from 'pergola'
import type { FieldWords } from './field-words.ts'
import type { Field, FieldType } from '../model.ts'
import type { Problems } from './problems.ts'

type Checked = Omit<Field, 'default'>

/** How the text of a default becomes a value, and is found to be none: as in the form that the field will have. */
const SCHEMAS: Readonly<Partial<Record<FieldType, (given: Checked) => z.ZodType>>> = {
  string: (given) => field.string(limits(given)),
  text: (given) => field.text(limits(given)),
  integer: (given) => field.integer(limits(given)),
  bigint: (given) => field.bigint(limits(given)),
  decimal: (given) => field.decimal(given.precision, given.scale, limits(given)),
  float: (given) => field.float(limits(given)),
  date: () => field.date(),
  time: () => field.time(),
  datetime: () => field.datetime(),
  uuid: () => field.uuid(),
  email: () => field.email(),
  url: () => field.url(),
  slug: (given) => field.slug(limits(given)),
  enum: ({ values = [] }) => field.enum(values),
}

const limits = ({ min, max }: Checked) => ({
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
})

/** What the column has unless it is told otherwise: a box is not checked. Undefined without one, or with a wrong one. */
export function defaultOf(given: Checked, words: FieldWords, problems: Problems): Field['default'] {
  const { default: part } = words
  if (given.type === 'boolean') return boolean(words, problems)
  if (part === null) return undefined
  const schema = SCHEMAS[given.type]?.(given)
  if (schema === undefined) {
    problems.add(part, `A field of type ${given.type} has no default: leave this out.`)
    return undefined
  }
  const parsed = schema.safeParse(part.text)
  if (parsed.success) return parsed.data as Field['default']
  const [{ message } = { message: '' }] = parsed.error.issues
  problems.add(
    part,
    `This is no default for a field of type ${given.type}. ${message} What follows = is all of it: write it last.`,
  )
  return undefined
}

function boolean({ default: part }: FieldWords, problems: Problems): boolean {
  if (part !== null && part.text !== 'true' && part.text !== 'false')
    problems.add(part, 'The default of a boolean is true or false.')
  return part?.text === 'true'
}
