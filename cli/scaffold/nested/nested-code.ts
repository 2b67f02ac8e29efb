import { importsOf } from '../code/controller-code.ts'
import { labelsCode } from '../labels/labels-code.ts'
import { choiceFields } from '../code/model-fields.ts'
import { showData } from '../code/show-markup.ts'
import { deletedWords, labelsNameOf } from '../code/snippets.ts'
import { nameCode, valueMarkup } from '../code/value-markup.ts'
import type { Model, Parent } from '../model.ts'
import { withArticle } from '../read/names.ts'
import { listNames } from './children-code.ts'

/** The variables of the templates of a nested resource. */
export function nestedData(model: Model, { field, model: parent }: Parent): object {
  const { names, owner } = model
  const labelled = model.fields.filter((one) => one.target && !one.private && one !== field)
  const hasChoices = choiceFields(model).length > 0
  const shown = showData(model)
  return {
    ...shown,
    // The first line of a record names its owner.
    details: shown.details.filter(({ term }) => term !== owner?.label),
    ownerMarkup: owner ? valueMarkup(model, owner) : '',
    names,
    up: parent.names,
    column: field.column,
    label: model.label,
    owner,
    version: model.version,
    api: model.api,
    hasPages: false,
    hasChoices,
    orderedBy: model.cursor ?? 'created_at',
    deleted: deletedWords(model),
    parentName: nameCode(parent),
    list: listNames(names),
    labels: labelsCode(model, labelled, { ctx: 'ctx', page: 'page' }),
    labelNames: labelled.map((one) => `${labelsNameOf(one, model)}, `).join(''),
    aParent: withArticle(parent.names.human),
    listImports: importsOf(labelled),
    importsParent: labelled.every(({ target }) => target?.names.type !== parent.names.type),
    listHelpers: [
      'cursorRequest',
      ...(labelled.some(({ target }) => !target?.isUser) ? ['labelsOf'] : []),
      'mayCreate',
      'policyContext',
      ...(hasChoices ? ['referenceChoices'] : []),
    ],
  }
}
