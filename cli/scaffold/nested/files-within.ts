import { importsOf } from '../code/controller-code.ts'
import { labelsCode } from '../labels/labels-code.ts'
import { cellOf, endOf, listName, plainHeading } from '../code/index-markup.ts'
import { listFields } from '../code/model-fields.ts'
import type { Templated } from '../code/render-template.ts'
import { labelsNameOf } from '../code/snippets.ts'
import type { Model, Parent } from '../model.ts'
import { withArticle } from '../read/names.ts'
import { listNames } from './children-code.ts'

/**
 * Returns the files of a resource with pages of its own, whose rules follow another resource: these files with another policy,
 * and the list on the page of that resource. The matrix of the policy's test has no database, so it can't ask the parent.
 */
export function filesWithin(model: Model, parent: Parent, files: readonly Templated[]): Templated[] {
  const { folder, file } = model.names
  const data = dataWithin(model, parent)
  const own = files.filter(([, template]) => !template.startsWith('post.policy'))
  return [
    ...own,
    [`app/${folder}/${file}.policy.ts`, `${TEMPLATES}/comment.policy.ts`, data],
    [`app/${folder}/${file}.list.ts`, `${TEMPLATES}/within.list.ts`, data],
    [`views/${folder}/_list.eta`, `${TEMPLATES}/within._list`, data],
  ]
}

const TEMPLATES = '../nested/templates'

function dataWithin(model: Model, { field, model: { names: up } }: Parent): object {
  const { names, owner } = model
  const listed = listFields(model).filter((one) => one !== field)
  const labelled = listed.filter(({ target }) => target)
  return {
    names,
    up,
    owner,
    column: field.column,
    hasPages: true,
    list: listNames(names),
    aParent: withArticle(up.human),
    labels: labelsCode(model, labelled, { ctx: 'ctx', page: 'page' }),
    labelNames: labelled.map((one) => `${labelsNameOf(one, model)}, `).join(''),
    listImports: importsOf(labelled).filter((line) => !line.includes(`{ ${up.type} }`)),
    listHelpers: [
      'cursorRequest',
      ...(labelled.some(({ target }) => !target?.isUser) ? ['labelsOf'] : []),
      'mayCreate',
      'policyContext',
    ],
    columns: [
      { heading: plainHeading(model.label?.label ?? names.title), cell: linkOf(model) },
      ...listed.map((one) => ({
        heading: plainHeading(one.label, one.type),
        cell: cellOf(model, one),
        end: endOf(one.type),
      })),
      { heading: plainHeading('Created'), cell: `<%~ it.time(${names.record}.created_at) %>` },
    ],
  }
}

function linkOf(model: Model): string {
  const { one, record } = model.names
  const path = `pathTo(${one}Routes, 'GET /:id', ${record})`
  return `<a href="<%= ${path} %>" dir="auto">${listName(model).nameMarkup}</a>`
}
