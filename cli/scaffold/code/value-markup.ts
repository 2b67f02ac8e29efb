import { labelsNameOf } from './snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Markup of the label of a record, or of `Post 7` without a label. */
export const nameMarkup = ({ names, label }: Model): string =>
  label === null ? `${names.title} <%= ${names.record}.id %>` : `<%= ${names.record}.${label.column} %>`

/** The same as an expression. */
export const nameCode = ({ names, label }: Model): string =>
  label === null ? `\`${names.title} \${${names.record}.id}\`` : `${names.record}.${label.column}`

/** `post.published` */
export const valueCode = ({ names }: Model, { column }: Field): string => `${names.record}.${column}`

/** Markup of a value in a list. Null leaves nothing behind. */
export function valueMarkup(model: Model, field: Field): string {
  const value = valueCode(model, field)
  if (field.target) return `<%= ${labelsNameOf(field, model)}.get(${value}) %>`
  return field.type.markup?.(value) ?? `<%= ${value} %>`
}

/** Markup that is rendered if the field has a value, or else `otherwise`. */
export function ifThere(model: Model, field: Field, markup: string, otherwise = ''): string {
  const condition = conditionOf(model, field)
  if (condition === null) return markup
  const other = otherwise && `<% } else { %>${otherwise}`
  return `<% if (${condition}) { %>${markup}${other}<% } %>`
}

/** The condition for a value; null if the field always has one. A hidden or deleted target has no label, and gets no link. */
function conditionOf(model: Model, field: Field): string | null {
  const value = valueCode(model, field)
  if (field.target && !field.target.isUser) return `${labelsNameOf(field, model)}.has(${value})`
  return field.nullable ? `${value} !== null` : null
}

/** `authors, posts, `: the maps of labels that a view takes from `it`. */
export const labelNames = (model: Model, fields: readonly Field[]): string =>
  fields.map((field) => `${labelsNameOf(field, model)}, `).join('')
