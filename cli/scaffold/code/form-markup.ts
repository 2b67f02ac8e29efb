import { closedWords, quoted } from './snippets.ts'
import { choiceFields, inputFields } from './model-fields.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { nameCode } from './value-markup.ts'

/** The variables of the templates of the form and of its two pages. */
export function formData(model: Model): object {
  const { names } = model
  const { main, aside } = formColumns(model)
  const [first] = main
  const markup = (field: Field) => fieldMarkup(model, field, field === first)
  return {
    names,
    nameCode: nameCode(model),
    version: model.version,
    hasChoices: choiceFields(model).length > 0,
    fieldNames: [...main, ...aside].map(({ column }) => `'${column}'`).join(', '),
    fields: main.map(markup),
    aside: aside.map(markup),
  }
}

/** Returns the fields of the form's columns. Beside a text with several lines, short fields have a column of their own. */
export function formColumns(model: Model): { main: Field[]; aside: Field[] } {
  const fields = inputFields(model)
  const isSplit = fields.some(hasLines)
  const main = fields.filter((field) => !isSplit || hasLines(field) || field.type.isSearchable)
  return { main, aside: fields.filter((field) => !main.includes(field)) }
}

const hasLines = (field: Field) =>
  field.type.inputOptions?.(field).some((option) => option.startsWith('rows:')) ?? false

function fieldMarkup(model: Model, field: Field, isFirst: boolean): string {
  const partial = field.target ? 'reference' : 'field'
  const hint = hintOf(model, field)
  const options = [
    'form',
    `name: '${field.column}'`,
    `label: ${quoted(field.label)}`,
    ...(field.type.inputOptions?.(field) ?? []),
    ...(field.nullable && !field.target ? ['optional: true'] : []),
    ...(hint === '' ? [] : [`hint: ${quoted(hint)}`]),
    ...(isFirst ? ['focus: true'] : []),
  ]
  return `<%~ include('/partials/${partial}', { ${options.join(', ')} }) %>`
}

/** Returns the hint below a field, which describes the valid values. */
function hintOf({ readers, owner }: Model, field: Field): string {
  const isWhen = typeof readers === 'object' && readers.when === field
  if (isWhen)
    return `Only ${owner ? `the ${owner.label.toLowerCase()} and ` : ''}admins see ${closedWords(field).object}.`
  return field.type.hint?.(field) ?? ''
}
