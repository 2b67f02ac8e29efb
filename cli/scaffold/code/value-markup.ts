import { labelsNameOf } from './code.ts'
import type { Field, Model } from '../model.ts'

/** What loops over records, and pages about one, call it: by its name, unless the view has something of that name. */
export const recordName = ({ names }: Model): string =>
  TAKEN.has(names.one) ? `${names.one}Record` : names.one

const TAKEN = new Set(['page', 'may', 'swap', 'state', 'filters', 'form', 'choices', 'path', 'layout'])

/** What a record is called: its label, or what it is and its id. */
export function nameMarkup({ names, label }: Model, record: string): string {
  const byId = `${names.title} <%= ${record}.id %>`
  if (label === null) return byId
  const value = `${record}.${label.column}`
  return label.nullable ? `<%= ${value} ?? \`${names.title} \${${record}.id}\` %>` : `<%= ${value} %>`
}

/** The same within code. */
export function nameCode({ names, label }: Model, record: string): string {
  const byId = `\`${names.title} \${${record}.id}\``
  if (label === null) return byId
  const value = `${record}.${label.column}`
  return label.nullable ? `${value} ?? ${byId}` : value
}

/** A value as a list shows it; a reference to what its reader may not see is a dash. */
export function valueMarkup(model: Model, field: Field, record: string): string {
  const value = `${record}.${field.column}`
  if (field.target) return `<%= ${labelsNameOf(field, model)}.get(${value}) ?? '–' %>`
  if (field.type === 'boolean') return `<%= ${value} ? 'Yes' : 'No' %>`
  if (field.type === 'enum') return `<%= it.humanize(${value}) %>`
  if (field.type === 'date') return timeMarkup(value, 'formatDate')
  if (field.type === 'datetime') return timeMarkup(value, 'formatDateTime')
  // A text, which may be written from right to left.
  return field.type === 'string' ? `<bdi><%= ${value} %></bdi>` : `<%= ${value} %>`
}

export const timeMarkup = (value: string, format: 'formatDate' | 'formatDateTime'): string =>
  `<time datetime="<%= ${value} %>"><%= it.${format}(${value}) %></time>`

/** What stands there only where there is something to say. */
export const ifThere = (field: Field, record: string, markup: string): string =>
  field.nullable ? `<% if (${record}.${field.column} !== null) { %>${markup}<% } %>` : markup

/** The beginning of a view's code: what it takes from `it`. */
export const labelNames = (model: Model, fields: readonly Field[]): string =>
  fields.map((field) => `${labelsNameOf(field, model)}, `).join('')
