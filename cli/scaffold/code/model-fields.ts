import { boundParams } from 'pergola'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Returns the fields that a client may write: all except the owner, the parent, the state, private and computed fields. */
export const inputFields = ({ fields, owner, parent }: Model): Field[] =>
  fields.filter((one) => one !== owner && one !== parent?.field && !one.private && !one.next && !one.computed)

/** Returns the references that a client may write. The form has choices for each. */
export const choiceFields = (model: Model): Field[] => inputFields(model).filter(({ target }) => target)

const MOST_COLUMNS = 4

/** Returns the columns of a list in addition to the label and the date: the first few short fields. */
export function listFields({ fields, label, readers, parent, within }: Model): Field[] {
  const badge = typeof readers === 'object' ? readers.when : null
  return (within ? [...new Set([within.field, ...fields])] : fields)
    .filter((field) => ![label, badge, parent?.field].includes(field) && !field.private)
    .filter(({ type }) => !type.isTooLongForLists)
    .slice(0, MOST_COLUMNS)
}

/** Returns the columns by which a list can be sorted, in addition to `created_at`. */
export function sortFields(model: Model): Field[] {
  const shown = [...(model.label ? [model.label] : []), ...listFields(model)]
  return shown.filter(({ type }) => type.isSortable)
}

/** Returns the columns that a search covers. */
export const searchFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => field.type.isSearchable && !field.private)

/** Returns the columns by which a list can be filtered. A range is left out if another column has the name of a bound. */
export const filterFields = ({ fields, parent }: Model): Field[] =>
  fields
    .filter((field) => field.type.filter && !field.private && field !== parent?.field)
    .filter(
      ({ type, column }) =>
        type.filter?.range === undefined ||
        !fields.some((other) => Object.values(boundParams(column)).includes(other.column)),
    )

/** Returns the other tables to which fields refer, without duplicates. */
export function targetsOf(fields: readonly Field[]): NonNullable<Field['target']>[] {
  const targets = fields.flatMap(({ target }) => (target && !target.isSelf ? [target] : []))
  return targets.filter(
    ({ names }, index) => targets.findIndex((other) => other.names.table === names.table) === index,
  )
}

/** Returns the fields that every new record must set: not nullable, and without a default. */
export const requiredFields = ({ fields }: Model): Field[] =>
  fields.filter((field) => !field.nullable && field.default === undefined && !field.computed)

/** Returns the field that makes a record public; null if it has none. */
export const publicField = ({ readers }: Model): Field | null =>
  typeof readers === 'object' ? readers.when : null

const MOST_CHOICES = 3
const MOST_RANGES = 2

/** Returns the filters with a control in the search form, besides that of the public field. */
export function controlFields(model: Model): Field[] {
  const excluded = [publicField(model), model.owner]
  const fields = filterFields(model).filter((field) => !excluded.includes(field))
  const withChoices = (isOfRecords: boolean) =>
    fields
      .filter(({ type, target }) => type.filter?.hasChoices && (target !== undefined) === isOfRecords)
      .slice(0, MOST_CHOICES)
  const ranges = fields.filter(({ type }) => type.filter?.range).slice(0, MOST_RANGES)
  return [...withChoices(false), ...withChoices(true), ...ranges]
}
