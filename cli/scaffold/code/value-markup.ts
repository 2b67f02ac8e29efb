import { labelsNameOf, quoted } from './snippets.ts'
import { badgesMarkup } from '../many/list-markup.ts'
import { isState } from '../field-types/enum.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Returns the markup of a record's label, or of `Post 7` if it has none. */
export const nameMarkup = ({ names, label }: Model): string =>
  label === null ? `${names.title} <%= ${names.record}.id %>` : `<%= ${names.record}.${label.column} %>`

/** Returns the expression for a record's label, or for `Post 7` if it has none. */
export const nameCode = ({ names, label }: Model): string =>
  label === null ? `\`${names.title} \${${names.record}.id}\`` : `${names.record}.${label.column}`

/** Returns the expression for a value: `post.published`. */
export const valueCode = ({ names }: Model, { column }: Field): string => `${names.record}.${column}`

/** Returns the markup of a value in a list. Null is rendered as an empty text. */
export function valueMarkup(model: Model, field: Field): string {
  const value = valueCode(model, field)
  const labels = field.target && labelsNameOf(field, model)
  if (labels && field.type.isList) return badgesMarkup(model, field, { value, labels })
  if (labels) return `<%= ${labels}.get(${value}) %>`
  if (field.type.isDate && /(?:^|_)(?:due|deadline)(?:_|$)/.test(field.name))
    return `<%~ include('/partials/due', { value: ${value}${doneCode(model)} }) %>`
  return field.type.markup?.(value, field) ?? `<%= ${value} %>`
}

/** Words for the last state of a record. */
const DONE =
  /^(?:archived|cancell?ed|closed|completed?|delivered|done|finished|paid|rejected|resolved|solved)$/

/** Returns code for whether a record is in its last state: `, done: ['closed'].includes(task.state)`. */
function doneCode(model: Model): string {
  const state =
    model.fields.find(({ next }) => next) ?? model.fields.find((field) => isState(field) && !field.nullable)
  const isLast = (value: string) => (state?.next ? !state.next[value]?.length : DONE.test(value))
  const last = state?.values?.filter(isLast).map(quoted) ?? []
  return state && last.length > 0 ? `, done: [${last.join(', ')}].includes(${valueCode(model, state)})` : ''
}

/** Returns markup that renders `markup` if the field has a value, or else `otherwise`. */
export function ifThere(model: Model, field: Field, markup: string, otherwise = ''): string {
  const condition = conditionOf(model, field)
  if (condition === null) return markup
  const other = otherwise && `<% } else { %>${otherwise}`
  return `<% if (${condition}) { %>${markup}${other}<% } %>`
}

/**
 * Returns the condition for a value; null if the field always has one. A hidden or deleted target has no label, so no
 * link.
 */
function conditionOf(model: Model, field: Field): string | null {
  const value = valueCode(model, field)
  if (field.type.isList) return `${value}.some((id) => ${labelsNameOf(field, model)}.has(id))`
  if (field.type.isArray) return `${value}.length > 0`
  const isSet = field.nullable ? `${value} !== null` : null
  if (!field.target || field.target.isUser) return isSet
  return [...(isSet ? [isSet] : []), `${labelsNameOf(field, model)}.has(${value})`].join(' && ')
}

/** Returns the names of the maps of labels that a view reads from `it`, and with their types: `authors: Names, `. */
export function labelMaps(model: Model, fields: readonly Field[]): { labels: string; labelTypes: string } {
  const targets = fields.flatMap((field) =>
    field.target ? [[labelsNameOf(field, model), field.target.id]] : [],
  )
  return {
    labels: targets.map(([name]) => `${name}, `).join(''),
    labelTypes: targets
      .map(([name, id]) => `${name}: ${id === 'uuid' ? 'Names<string>' : 'Names'}, `)
      .join(''),
  }
}
