import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** What a client may write: everything but the owner and what is private. */
export const inputFields = ({ fields, owner }: Model): Field[] =>
  fields.filter((field) => field !== owner && !field.private)

/** The references among what a client may write: each is a choice in the form. */
export const choiceFields = (model: Model): Field[] => inputFields(model).filter(({ target }) => target)

const MOST_COLUMNS = 4

/** The columns of a list besides its label and its date: the first few that are short, and no badge. */
export function listFields({ fields, label, readers }: Model): Field[] {
  const badge = typeof readers === 'object' ? readers.when : null
  return fields
    .filter((field) => field !== label && field !== badge && !field.private)
    .filter(({ type }) => !type.isTooLongForLists)
    .slice(0, MOST_COLUMNS)
}

/** The columns of a list by whose headings it can be sorted, besides `created_at`. */
export function sortFields(model: Model): Field[] {
  const shown = [...(model.label ? [model.label] : []), ...listFields(model)]
  return shown.filter(({ type }) => type.isSortable)
}

/** The columns in which a search looks for its words. */
export const searchFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => field.type.isSearchable && !field.private)

/** The columns by whose value a list can be filtered. */
export const filterFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => field.type.filter && !field.private)

/** The other tables that fields refer to, each once: users among them, the table itself not. */
export function targetsOf(fields: readonly Field[]): NonNullable<Field['target']>[] {
  const targets = fields.flatMap(({ target }) => (target && !target.isSelf ? [target] : []))
  return targets.filter(
    ({ names }, index) => targets.findIndex((other) => other.names.table === names.table) === index,
  )
}

/** The fields without which there is no record: neither may they be empty, nor does the database fill them. */
export const requiredFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => !field.nullable && field.default === undefined)
