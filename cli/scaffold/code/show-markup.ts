import { closedWords, labelsNameOf } from './code.ts'
import type { Field, Model } from '../model.ts'
import { ifThere, labelNames, nameCode, nameMarkup, recordName, valueMarkup } from './value-markup.ts'

/** What the template of one record's page needs to know: its texts, and everything else in a list of terms. */
export function showData(model: Model): object {
  const { names, owner, readers, fields, label } = model
  const record = recordName(model)
  const shown = fields.filter((field) => !field.private)
  const when = typeof readers === 'object' ? readers.when : null
  const texts = shown.filter(({ type }) => type === 'text')
  const details = shown.filter((field) => ![label, owner, when, ...texts].includes(field))
  return {
    names,
    record,
    taken: record === names.one ? '' : `: ${record}`,
    labels: labelNames(
      model,
      shown.filter(({ target }) => target),
    ),
    badge: when && `${record}.${when.column}`,
    closed: when && closedWords(when).one,
    byline: owner ? `${valueMarkup(model, owner, record)} · ` : '',
    nameMarkup: nameMarkup(model, record),
    nameCode: nameCode(model, record),
    trash: model.softDelete ? ', trash: true' : '',
    details: details.map((field) => ({
      term: field.label,
      value: detailOf(model, field, record),
    })),
    texts: texts.map((field) => textOf(field, { record, alone: texts.length === 1 })),
  }
}

function detailOf(model: Model, field: Field, record: string): string {
  if (field.target) return referenceMarkup(model, field, record)
  const markup = detailMarkup(model, field, record)
  return field.nullable
    ? `<% if (${record}.${field.column} === null) { %>–<% } else { %>${markup}<% } %>`
    : markup
}

/** A link where its label is known; else its reader may not see it, nor learn its id. */
function referenceMarkup(model: Model, field: Field, record: string): string {
  const { target, column } = field
  const markup = valueMarkup(model, field, record)
  if (!target || target.isUser) return markup
  const value = `${record}.${column}`
  const labels = labelsNameOf(field, model)
  const link = `<a href="/${target.names.folder}/<%= ${value} %>"><%= ${labels}.get(${value}) %></a>`
  return `<% if (${labels}.has(${value})) { %>${link}<% } else { %>–<% } %>`
}

function detailMarkup(model: Model, field: Field, record: string): string {
  const { type, column } = field
  const value = `${record}.${column}`
  const markup = valueMarkup(model, field, record)
  if (type === 'url') return `<a href="<%= ${value} %>" rel="noopener noreferrer"><%= ${value} %></a>`
  if (type === 'email') return `<a href="mailto:<%= ${value} %>"><%= ${value} %></a>`
  if (type === 'json') return `<pre><%= JSON.stringify(${value}, null, 2) %></pre>`
  return markup
}

/** A text in paragraphs; where there are several, each below its name. */
function textOf(field: Field, { record, alone }: { record: string; alone: boolean }): string {
  const heading = alone ? '' : `<h2>${field.label}</h2>\n  `
  const paragraphs = `<%~ include('/partials/paragraphs', { text: ${record}.${field.column} }) %>`
  return ifThere(field, record, heading + paragraphs)
}
