import { filterFields, inputFields, searchFields, sortFields, targetsOf } from './columns.ts'
import { constantOf, importLine, literal, quoted, sortedImports } from './code.ts'
import type { Field, FieldType, IdKind, Model } from '../model.ts'

/** What the template of `post.ts` needs to know: its table as types, its input as schemas, its lists. */
export function schemaData(model: Model): object {
  const { fields, names } = model
  const input = inputFields(model).map((field) => ({ name: field.column, schema: schemaOf(field) }))
  const filters = filterFields(model).map((field) => `${field.column}: ${filterOf(field)}`)
  const usesField = [...input.map(({ schema }) => schema), ...filters].some(
    (code) => code.startsWith('field.') || code.includes(': field.'),
  )
  const targets = targetsOf(fields.filter(({ private: secret }) => !secret))
  const json = fields.some(({ type }) => type === 'json')
  return {
    names,
    imports: sortedImports(
      targets.map(({ names }) => importLine(names.type, `#app/${names.folder}/${names.file}.ts`)),
    ),
    frameworkImports: [
      ...(usesField ? ['field'] : []),
      ...(json ? ['type Json'] : []),
      'resource',
      'type RowOf',
    ],
    enums: fields
      .filter(({ type }) => type === 'enum')
      .map((field) => ({ constant: constantOf(field), values: (field.values ?? []).map(quoted).join(', ') })),
    columns: columnTypes(model),
    idOption: model.id === 'uuid' && "id: 'uuid'",
    labelOption: model.label && `label: '${model.label.column}'`,
    input,
    options: optionsOf(model, filters),
  }
}

function columnTypes({ id, fields, softDelete, version }: Model) {
  return [
    { name: 'id', type: `Generated<${ID_TYPES[id]}>` },
    ...fields.map((field) => ({ name: field.column, type: columnType(field) })),
    { name: 'created_at', type: 'ColumnType<string, string | undefined, never>' },
    ...(softDelete
      ? [{ name: 'deleted_at', type: 'ColumnType<string | null, string | null | undefined, never>' }]
      : []),
    ...(version ? [{ name: 'version', type: 'ColumnType<number, number | undefined, never>' }] : []),
  ]
}

const ID_TYPES: Record<IdKind, string> = { bigint: 'number', uuid: 'string' }

const VALUE_TYPES: Partial<Record<FieldType, string>> = {
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
  json: 'Json',
}

function columnType(field: Field): string {
  const type = valueType(field) + (field.nullable ? ' | null' : '')
  return field.default === undefined ? type : `Generated<${type}>`
}

function valueType(field: Field): string {
  if (field.target) return ID_TYPES[field.target.id]
  if (field.type === 'enum') return `(typeof ${constantOf(field)})[number]`
  return VALUE_TYPES[field.type] ?? 'string'
}

/** `field.string({ max: 200 }).nullable()` */
function schemaOf(field: Field): string {
  const nullable = field.nullable ? '.nullable()' : ''
  const byDefault = field.default ?? (field.nullable ? null : undefined)
  return `field.${functionOf(field)}(${argumentsOf(field)})${nullable}${byDefault === undefined ? '' : `.default(${literal(byDefault)})`}`
}

const functionOf = ({ type }: Field) => (type === 'references' ? 'reference' : type)

function argumentsOf(field: Field): string {
  const { type, min, max, precision = 12, scale = 2, target } = field
  if (type === 'enum') return constantOf(field)
  if (target) return target.id === 'uuid' ? "'uuid'" : ''
  const limits = [
    // A text is never empty, unless it says so.
    ...(min === undefined || (min === 1 && TEXTS.includes(type)) ? [] : [`min: ${min}`]),
    ...(max === undefined ? [] : [`max: ${grouped(max)}`]),
  ]
  const options = limits.length === 0 ? [] : [`{ ${limits.join(', ')} }`]
  const isUsual = precision === 12 && scale === 2 && limits.length === 0
  return [...(type === 'decimal' && !isUsual ? [precision, scale] : []), ...options].join(', ')
}

const TEXTS: readonly FieldType[] = ['string', 'text', 'slug']

/** 20000 as 20_000. */
const grouped = (number: number): string =>
  Number.isInteger(number) && Math.abs(number) >= 10_000
    ? String(number).replaceAll(/\B(?=(\d{3})+$)/g, '_')
    : String(number)

function filterOf(field: Field): string {
  if (field.target) return `field.reference(${argumentsOf(field)})`
  return field.type === 'enum' ? `field.enum(${constantOf(field)})` : 'z.stringbool()'
}

/** What a resource declares besides its input, and only what there is. */
function optionsOf(model: Model, filters: readonly string[]): string[] {
  const { fields, owner } = model
  const hidden = fields.filter(({ private: secret }) => secret)
  const references = fields.filter(({ target, private: secret }) => target && !secret)
  const pairs = references.map((field) => `${field.column}: ${targetOf(field)}`)
  const searched = searchFields(model)
  return [
    ...(owner ? [`owner: '${owner.column}'`] : []),
    ...(hidden.length > 0 ? [`hidden: [${namesIn(hidden)}]`] : []),
    ...(pairs.length > 0 ? [`references: { ${pairs.join(', ')} }`] : []),
    `sort: [${[...sortFields(model).map(({ column }) => `'${column}'`), "'created_at'"].join(', ')}]`,
    ...(searched.length > 0 ? [`search: [${namesIn(searched)}]`] : []),
    ...(filters.length > 0 ? [`filters: { ${filters.join(', ')} }`] : []),
  ]
}

const targetOf = ({ target }: Field) => (target?.isSelf ? "'self'" : target?.names.type)

const namesIn = (fields: readonly Field[]) => fields.map(({ column }) => `'${column}'`).join(', ')
