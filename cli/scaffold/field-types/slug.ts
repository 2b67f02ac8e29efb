import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { lengthCode, lengthConstraint, lengthHint, limitsOf, readLength } from './limits.ts'
import { hyphenated } from './text-examples.ts'

/** The maximum length if the field declares none. */
const MOST = 255

/** A part of a URL: `a-page-of-mine`. */
export const slug: FieldType = {
  name: 'slug',
  readLimits: readLength(500),
  constraint: (field, column) =>
    (field.min ?? field.max) === undefined ? null : lengthConstraint(field, column, MOST),
  schemaCode: (field) => `field.slug(${lengthCode(field)})`,
  schema: (definition) => field.slug(limitsOf(definition)),
  hint: (field) => [lengthHint(field), 'Lower-case letters, digits and hyphens.'].filter(Boolean).join(' '),
  example: hyphenated,
  fakeCode: ({ min = 1, max = MOST, unique }) => {
    if (min > 5 || max < 60) return null
    return unique ? '`${faker.lorem.slug()}-${n}`' : 'faker.lorem.slug()'
  },
  invalidText: () => 'Not a slug!',
  isSortable: true,
  label: 'second choice',
  isSearchable: true,
}
