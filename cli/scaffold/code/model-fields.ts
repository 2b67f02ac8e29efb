import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** The fields that a client may write: all but the owner and private fields. */
export const inputFields = ({ fields, owner }: Model): Field[] =>
  fields.filter((field) => field !== owner && !field.private)

/** The references that a client may write. The form offers choices for each. */
export const choiceFields = (model: Model): Field[] => inputFields(model).filter(({ target }) => target)

const MOST_COLUMNS = 4

/** The columns of a list besides the label and the date: the first few short fields. */
export function listFields({ fields, label, readers }: Model): Field[] {
  const badge = typeof readers === 'object' ? readers.when : null
  return fields
    .filter((field) => field !== label && field !== badge && !field.private)
    .filter(({ type }) => !type.isTooLongForLists)
    .slice(0, MOST_COLUMNS)
}

/** The columns by which a list can be sorted, besides `created_at`. */
export function sortFields(model: Model): Field[] {
  const shown = [...(model.label ? [model.label] : []), ...listFields(model)]
  return shown.filter(({ type }) => type.isSortable)
}

/** The columns that a search looks into. */
export const searchFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => field.type.isSearchable && !field.private)

/** The columns by which a list can be filtered. */
export const filterFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => field.type.filter && !field.private)

/** The other tables that fields refer to, each once. */
export function targetsOf(fields: readonly Field[]): NonNullable<Field['target']>[] {
  const targets = fields.flatMap(({ target }) => (target && !target.isSelf ? [target] : []))
  return targets.filter(
    ({ names }, index) => targets.findIndex((other) => other.names.table === names.table) === index,
  )
}

/** The fields that a record can't be inserted without: not nullable, and without a default. */
export const requiredFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => !field.nullable && field.default === undefined)
