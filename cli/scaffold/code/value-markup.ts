import { labelsNameOf } from './snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** What a record is called: its label, or what it is and its id. */
export const nameMarkup = ({ names, label }: Model): string =>
  label === null ? `${names.title} <%= ${names.record}.id %>` : `<%= ${names.record}.${label.column} %>`

/** The same within code. */
export const nameCode = ({ names, label }: Model): string =>
  label === null ? `\`${names.title} \${${names.record}.id}\`` : `${names.record}.${label.column}`

/** `post.published` */
export const valueCode = ({ names }: Model, { column }: Field): string => `${names.record}.${column}`

/** A value as a list shows it; what is null leaves nothing behind. */
export function valueMarkup(model: Model, field: Field): string {
  const value = valueCode(model, field)
  if (field.target) return `<%= ${labelsNameOf(field, model)}.get(${value}) %>`
  return field.type.markup?.(value) ?? `<%= ${value} %>`
}

/** What stands there only where there is something to say, and what stands there otherwise. */
export function ifThere(model: Model, field: Field, markup: string, otherwise = ''): string {
  const condition = conditionOf(model, field)
  if (condition === null) return markup
  const other = otherwise && `<% } else { %>${otherwise}`
  return `<% if (${condition}) { %>${markup}${other}<% } %>`
}

/** Null for what is always there. A record that this viewer doesn't see, or that is gone, has no label: no empty link. */
function conditionOf(model: Model, field: Field): string | null {
  const value = valueCode(model, field)
  if (field.target && !field.target.isUser) return `${labelsNameOf(field, model)}.has(${value})`
  return field.nullable ? `${value} !== null` : null
}

/** The beginning of a view's code: what it takes from `it`. */
export const labelNames = (model: Model, fields: readonly Field[]): string =>
  fields.map((field) => `${labelsNameOf(field, model)}, `).join('')
