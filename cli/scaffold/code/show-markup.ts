import { closedWords, quoted } from './snippets.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { childrenData } from '../nested/children-code.ts'
import { ifThere, labelMaps, nameCode, nameMarkup, valueCode, valueMarkup } from './value-markup.ts'

/** The variables of the template of a record's page. */
export function showData(model: Model) {
  const { names, owner, readers, fields, label } = model
  const shown = fields.filter((field) => !field.private && field !== model.parent?.field)
  const when = typeof readers === 'object' ? readers.when : null
  const texts = shown.filter(({ type }) => type.isLongText)
  const others = shown.filter((field) => ![label, owner, when, ...texts].includes(field))
  const details = [...(owner ? [owner] : []), ...(when ? [when] : []), ...others]
  return {
    names,
    children: childrenData(model),
    tables: tableNames(model, details),
    ...labelMaps(model, shown),
    nameMarkup: nameMarkup(model),
    nameCode: nameCode(model),
    trash: model.softDelete ? ', trash: true' : '',
    details: details.map((field) =>
      field === when
        ? { term: 'State', value: stateOf(model, field) }
        : { term: field.label, value: ifThere(model, field, detailMarkup(model, field), '–') },
    ),
    texts: texts.map((field) => textOf(model, field, texts.length > 1)),
  }
}

/** Whether the record is public. */
function stateOf(model: Model, when: Field) {
  const [open, closed] = [quoted(when.label), quoted(closedWords(when).one)]
  const value = valueCode(model, when)
  return `<small class="badge dot <%= ${value} ? 'success' : 'warning' %>"><%= ${value} ? ${open} : ${closed} %></small>`
}

/** `commentRoutes, postRoutes`: the route tables that the view links to. */
function tableNames({ names }: Model, details: readonly Field[]): string {
  const targets = details.flatMap(({ target, type }) =>
    hasPage(target) && !type.isList ? [target.names] : [],
  )
  return [...new Set([names, ...targets].map(({ one }) => `${one}Routes`))].join(', ')
}

const hasPage = (target: Field['target']): target is Target =>
  target !== undefined && !target.isUser && !target.isNested

function detailMarkup(model: Model, field: Field): string {
  const { type, target } = field
  const value = valueCode(model, field)
  const markup = valueMarkup(model, field)
  if (!hasPage(target) || type.isList) return type.detailMarkup?.(value) ?? markup
  const path = `pathTo(${target.names.one}Routes, 'GET /:id', { id: ${value} })`
  return `<a href="<%= ${path} %>">${markup}</a>`
}

/** The paragraphs of a text, below its label if the record has several texts. */
function textOf(model: Model, field: Field, isLabelled: boolean): string {
  const label = isLabelled ? `label: ${quoted(field.label)}, ` : ''
  const value = valueCode(model, field)
  const own = field.type.detailMarkup?.(value)
  if (own)
    return (isLabelled ? `<h2 class="meta">${field.label}</h2>\n    ` : '') + ifThere(model, field, own, '–')
  return `<%~ include('/partials/paragraphs', { ${label}text: ${value} }) %>`
}
