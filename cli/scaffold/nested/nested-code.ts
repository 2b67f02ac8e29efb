import { choiceFields } from '../code/model-fields.ts'
import { showData } from '../code/show-markup.ts'
import { deletedWords, importLine, labelsNameOf, sortedImports } from '../code/snippets.ts'
import { nameCode, valueMarkup } from '../code/value-markup.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model, Parent } from '../model.ts'
import { withArticle } from '../read/names.ts'
import { listNames } from './children-code.ts'

/** The variables of the templates of a nested resource. */
export function nestedData(model: Model, { field, model: parent }: Parent): object {
  const { names, owner } = model
  const labelled = model.fields.filter((one) => one.target && !one.private && one !== field)
  const hasChoices = choiceFields(model).length > 0
  const isOpen = parent.readers !== 'members'
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
    isOpen,
    hasChoices,
    orderedBy: model.cursor ?? 'created_at',
    deleted: deletedWords(model),
    parentName: nameCode(parent),
    list: listNames(names),
    labels: labelled.map((one) => labelsEntry(model, one)),
    labelNames: labelled.map((one) => `${labelsNameOf(one, model)}, `).join(''),
    aParent: withArticle(parent.names.human),
    listImports: sortedImports([
      ...new Set(labelled.flatMap(({ target }) => (target ? [labelsImport(target)] : []))),
    ]),
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

const labelsImport = ({ isUser, names }: NonNullable<Field['target']>): string =>
  isUser
    ? importLine('userNames', '#app/users/user.repository.ts')
    : importLine(names.type, `#app/${names.folder}/${names.file}.ts`)

function labelsEntry(model: Model, field: Field): string {
  const { record } = model.names
  const ids = `page.content.map((${record}) => ${record}.${field.column})`
  const name = labelsNameOf(field, model)
  return field.target?.isUser
    ? `${name}: await userNames(ctx, ${ids})`
    : `${name}: await labelsOf(ctx, ${field.target?.names.type}, ${ids})`
}
