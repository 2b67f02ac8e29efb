import { humanize } from 'pergola'
import { closedWords, quoted } from './code.ts'
import { choiceFields, inputFields } from './columns.ts'
import type { Field, FieldType, Model } from '../model.ts'

/** What the templates of the form and of the two pages around it need to know. */
export function formData(model: Model): object {
  const { names } = model
  const fields = inputFields(model)
  return {
    names,
    version: model.version,
    hasChoices: choiceFields(model).length > 0,
    fieldNames: fields.map(({ column }) => `'${column}'`).join(', '),
    fields: fields.map((field, index) => fieldMarkup(model, field, index === 0)),
  }
}

function fieldMarkup(model: Model, field: Field, isFirst: boolean): string {
  const partial = field.target ? 'reference' : 'field'
  const hint = hintOf(model, field)
  const options = [
    'form',
    `name: '${field.column}'`,
    `label: ${quoted(field.label)}`,
    ...kindOf(field),
    ...(hint === '' ? [] : [`hint: ${quoted(hint)}`]),
    ...(isFirst ? ['focus: true'] : []),
  ]
  return `<%~ include('/partials/${partial}', { ${options.join(', ')} }) %>`
}

/** What its field in the form is; a line of text unless it says otherwise. */
function kindOf(field: Field): string[] {
  const { type, nullable, target, scale = 2, column, values = [] } = field
  if (target) return [`choices: choices.${column}`, ...(nullable ? ['optional: true'] : [])]
  if (type === 'text') return ['rows: 12']
  if (type === 'json') return ['rows: 6']
  if (type === 'boolean' && nullable)
    return [
      optionsOf([
        ['', ''],
        ['true', 'Yes'],
        ['false', 'No'],
      ]),
    ]
  if (type === 'boolean') return ["type: 'checkbox'"]
  if (type === 'enum')
    return [
      optionsOf([
        ...(nullable ? [['', ''] as const] : []),
        ...values.map((value) => [value, humanize(value)] as const),
      ]),
    ]
  if (type === 'decimal') return ["type: 'number'", `step: '${(10 ** -scale).toFixed(scale)}'`]
  if (type === 'float') return ["type: 'number'", "step: 'any'"]
  const input = INPUTS[type]
  return input === undefined ? [] : [`type: '${input}'`]
}

const INPUTS: { readonly [Type in FieldType]?: string } = {
  integer: 'number',
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
  email: 'email',
  url: 'url',
}

const optionsOf = (options: readonly (readonly [value: string, text: string])[]) =>
  `type: 'select', options: [${options.map(([value, text]) => `[${quoted(value)}, ${quoted(text)}]`).join(', ')}]`

/** The hint below a field: what its values may be. */
function hintOf({ readers, owner }: Model, field: Field): string {
  const isWhen = typeof readers === 'object' && readers.when === field
  if (isWhen)
    return `Only ${owner ? `the ${owner.label.toLowerCase()} and ` : ''}admins see ${closedWords(field).object}.`
  const said = [limitsOf(field), MEANT[field.type], field.nullable ? 'May be left empty.' : undefined]
  return said.filter(Boolean).join(' ')
}

const MEANT: { readonly [Type in FieldType]?: string } = {
  text: 'A blank line starts a new paragraph.',
  datetime: 'In UTC.',
  json: 'JSON: an object in { } or a list in [ ].',
  slug: 'Small letters, digits and hyphens.',
}

function limitsOf({ type, min, max }: Field): string | undefined {
  const isText = type === 'string' || type === 'text' || type === 'slug'
  const unit = isText ? ' characters' : ''
  const least = isText && min !== undefined && min <= 1 ? undefined : min
  if (least !== undefined && max !== undefined) return `From ${say(least)} to ${say(max)}${unit}.`
  if (max !== undefined) return `Up to ${say(max)}${unit}.`
  return least === undefined ? undefined : `${say(least)}${unit} or more.`
}

const say = (number: number) => number.toLocaleString('en', { maximumFractionDigits: 20 })
