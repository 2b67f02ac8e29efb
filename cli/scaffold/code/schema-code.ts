import {
  controlFields,
  filterFields,
  inputFields,
  publicField,
  searchFields,
  sortFields,
  targetsOf,
} from './model-fields.ts'
import { joinOptions, joinTypes } from '../many/join-code.ts'
import { ID_TYPES } from '../field-types/references.ts'
import { otherColumnsOf } from '../from-table/from-options.ts'
import { closedWords, constantOf, importLine, literal, quoted, sortedImports } from './snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { checksOption } from '../money/amounts-code.ts'
import { unitOf } from '../money/money.ts'

/** The variables of the template of `post.ts`. */
export function schemaData(model: Model): object {
  const { fields, names } = model
  const input = inputFields(model).map((field) => ({ name: field.column, schema: schemaOf(field) }))
  const filters = filterFields(model).map((field) => `${field.column}: ${filterCode(model, field)}`)
  const usesField = [...input.map(({ schema }) => schema), ...filters].some((code) => /\bfield\./.test(code))
  const shown = fields.filter((field) => !field.private)
  const targets = targetsOf(shown)
  const imported = targets.filter(({ refersBack }) => refersBack !== true)
  const types = new Set(fields.flatMap(({ type }) => type.frameworkType ?? []))
  const columns = columnTypes(model)
  const features = new Set(shown.flatMap(({ type }) => type.features ?? []))
  return {
    names,
    imports: sortedImports([
      ...(features.size > 0 ? [importLine([...features].toSorted().join(', '), 'pergola/features')] : []),
      ...imported.map(({ names }) => importLine(names.type, `#app/${names.folder}/${names.file}.ts`)),
    ]),
    frameworkImports: [
      ...(usesField ? ['field'] : []),
      ...(filters.some((code) => code.includes(': filter.')) ? ['filter'] : []),
      ...[...types].toSorted().map((name) => `type ${name}`),
      'resource',
      'type RowOf',
    ],
    enums: fields
      .filter(({ values }) => values)
      .map((field) => ({ constant: constantOf(field), values: (field.values ?? []).map(quoted).join(', ') })),
    columns,
    typeImports: ['ColumnType', 'Generated', 'GeneratedAlways'].filter((name) =>
      columns.some(({ type }) => type.startsWith(`${name}<`)),
    ),
    idOption: model.id === 'uuid' && "id: 'uuid'",
    labelOption: model.label && `label: '${model.label.column}'`,
    input,
    joins: joinTypes(model),
    options: optionsOf(model, filters),
  }
}

function columnTypes(model: Model) {
  const { id, fields, softDelete, version, tenant } = model
  return [
    { name: 'id', type: `Generated<${ID_TYPES[id]}>` },
    ...(tenant ? [{ name: tenant.column, type: 'ColumnType<number, number, never>' }] : []),
    ...fields.map((field) => ({ name: field.column, type: columnType(field) })),
    { name: 'created_at', type: 'ColumnType<string, string | undefined, never>' },
    ...(softDelete
      ? [{ name: 'deleted_at', type: 'ColumnType<string | null, string | null | undefined, never>' }]
      : []),
    ...(version ? [{ name: 'version', type: 'ColumnType<number, number | undefined, never>' }] : []),
    ...otherColumnsOf(model),
  ]
}

function columnType(field: Field): string {
  const type =
    (field.type.tsType?.(field) ?? 'string') + (field.nullable && !field.type.isList ? ' | null' : '')
  if (field.computed) return `GeneratedAlways<${type}>`
  return field.default === undefined ? type : `Generated<${type}>`
}

/** Returns the schema of a field: `field.string({ max: 200 }).nullable()`. */
function schemaOf(field: Field): string {
  if (field.type.isList) return field.type.schemaCode?.(field) ?? ''
  const nullable = field.nullable ? '.nullable()' : ''
  const byDefault = field.default ?? (field.nullable ? null : undefined)
  const schema = field.type.schemaCode?.(field) ?? `field.${field.type.name}()`
  return `${schema}${nullable}${byDefault === undefined ? '' : `.default(${literal(byDefault)})`}`
}

/** Returns the filter of a field: `filter.range(field.date(), { label: 'Due' })`. */
function filterCode(model: Model, field: Field): string {
  const { schemaCode, isSeveral, range } = field.type.filter ?? {}
  const schema = schemaCode?.(field) ?? ''
  const control = controlCode(model, field)
  if (control === null && range === undefined && !isSeveral) return schema
  const kind = range !== undefined ? 'range' : isSeveral || field.target ? 'several' : 'one'
  return `${field.type.isArray ? 'arrayFilter.some' : `filter.${kind}`}(${[schema, ...(control === null ? [] : [control])].join(', ')})`
}

/** Returns the label and the options of a filter in the search form; null if it is only a parameter of the URL. */
function controlCode(model: Model, field: Field): string | null {
  if (field === publicField(model))
    return `{ label: 'State', options: { true: ${quoted(field.label)}, false: ${quoted(closedWords(field).many)} } }`
  if (!controlFields(model).includes(field)) return null
  const unit = field.type.filter?.range === 'datetime-local' ? 'UTC' : unitOf(field)
  return `{ label: ${quoted(unit === undefined ? field.label : `${field.label} (${unit})`)} }`
}

/** Returns the options of the resource that follow its input. */
function optionsOf(model: Model, filters: readonly string[]): string[] {
  const { fields, owner } = model
  const secret = namesIn(fields.filter((field) => field.private))
  const hidden = [secret, ...otherColumnsOf(model).map(({ name }) => `'${name}'`)].filter(Boolean)
  const references = fields.filter(({ target, private: secret }) => target && !secret)
  const pairs = references.map((field) => `${field.column}: ${targetOf(field)}`)
  const searched = searchFields(model)
  const set = fields.filter((field) => field === model.parent?.field || field.next || field.computed)
  return [
    `columns: [${[...set.map(({ column }) => column), 'created_at'].map(quoted).join(', ')}]`,
    ...(owner ? [`owner: '${owner.column}'`] : []),
    ...(model.tenant ? [`tenant: '${model.tenant.column}'`] : []),
    ...(hidden.length > 0 ? [`hidden: [${hidden.join(', ')}]`] : []),
    ...(pairs.length > 0 ? [`references: { ${pairs.join(', ')} }`] : []),
    ...joinOptions(model),
    `sort: [${[...sortFields(model).map(({ column }) => `'${column}'`), "'created_at'"].join(', ')}]`,
    ...(searched.length > 0 ? [`search: [${namesIn(searched)}]`] : []),
    ...(filters.length > 0 ? [`filters: { ${filters.join(', ')} }`] : []),
    ...checksOption(model),
    ...(model.softDelete ? ['softDelete: true'] : []),
    ...(model.version ? ['version: true'] : []),
  ]
}

function targetOf({ target }: Field): string | undefined {
  if (target?.isSelf) return "'self'"
  return target?.refersBack === true ? quoted(target.names.table) : target?.names.type
}

const namesIn = (fields: readonly Field[]) => fields.map(({ column }) => `'${column}'`).join(', ')
