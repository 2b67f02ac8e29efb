import { choiceFields, controlFields, searchFields } from '../code/model-fields.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { seenBy, variableOf } from '../nested/seen-records.ts'

/** The lists of ids for which the test hides the other records. The pages show the label of every user. */
export function hiddenLists(model: Model) {
  const controlled = controlFields(model).map(({ column }) => column)
  const lists = choiceFields(model).filter(({ type }) => type.isList)
  return lists.flatMap(({ column, label, target }) => {
    if (!target || target.isUser || target.isSelf) return []
    // The form of a user who sees none of the records has none of them in any list.
    const hidden = lists.filter((other) => other.target?.names.table === target.names.table)
    const empty = hidden.map((list) => `${list.column}: ''`).join(', ')
    return [{ column, humans: label.toLowerCase(), target, empty, hasControl: controlled.includes(column) }]
  })
}

/** The first filter of the list by records that signed-in users see; null without one. Not all of them see the users. */
export function listFilter(model: Model) {
  const list = controlFields(model).find(({ type, target }) => type.isList && !target?.isUser)
  if (list === undefined) return null
  const button = searchFields(model).length > 0 ? 'Search' : 'Filter'
  return { column: list.column, label: list.label, humans: list.label.toLowerCase(), button }
}

interface Users {
  readonly writer: string
  /** A user besides the admin. */
  readonly other: string
}

/** The lists of ids with an order, and code of two records that the writer sees. */
export const orderedLists = (model: Model, users: Users) =>
  choiceFields(model)
    .filter(({ ordered }) => ordered)
    .map((field) => ({
      column: field.column,
      humans: field.label.toLowerCase(),
      two: twoRecords(model, field, users),
    }))

function twoRecords(model: Model, { target }: Field, { writer, other }: Users): string {
  if (!target || target.isSelf) return 'await make(), await make()'
  if (target.isUser) return `${other}.user, admin.user`
  return `await app.within(${seenBy(model, target, writer)}), ${variableOf(target)}`
}
