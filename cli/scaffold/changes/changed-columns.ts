import { isDeepStrictEqual } from 'node:util'
import { altered } from '../code/migration-file.ts'
import { defaultCode, typeCode } from '../arrays/array-code.ts'
import { columnOf } from '../code/migration-code.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import { isNarrower } from '../from-table/changed-table.ts'
import type { Model } from '../model.ts'
import { dropJoins, joinRenamed, joinSteps } from '../many/join-code.ts'
import { type ColumnPart, columnParts, partDropped, partRenamed, partsCreated } from './column-parts.ts'

/** A model before and after a change, and its fields in both. A field that one of them lacks is null there. */
export interface TableChange {
  readonly was: Model
  readonly model: Model
  readonly fields: readonly { readonly from: Field | null; readonly to: Field | null }[]
}

/** Returns the statements that change the columns, with their constraints and indexes. */
export function columnSteps(change: TableChange): string[] {
  const { was, model, fields } = change
  const { dropped, renamed, created } = changedParts(change)
  return [
    ...dropped.map((part) => partDropped(was, part)),
    // Postgres computes columns from others, so they are dropped before and added after those.
    ...fields
      .toSorted((one, other) => orderOf(one) - orderOf(other))
      .flatMap(({ from, to }) => {
        if (from && to) return changed(change, from, to)
        if (to) return to.type.isList ? joinSteps(model, [to]) : [columnAdded(model, to)]
        return from ? columnDropped(model, from) : []
      }),
    ...renamed.map(({ part, name }) => partRenamed(was, part, name)),
    ...partsCreated(model, created),
  ]
}

const orderOf = ({ from, to }: TableChange['fields'][number]) => (to === null ? 0 : from === null ? 2 : 1)

interface ChangedParts {
  readonly dropped: readonly ColumnPart[]
  readonly renamed: readonly { readonly part: ColumnPart; readonly name: string }[]
  readonly created: readonly ColumnPart[]
}

/** Returns the constraints and indexes that change. Postgres drops those of a column with it. */
export function changedParts({ was, model, fields }: TableChange): ChangedParts {
  const after = columnParts(model).filter(({ field }) => fields.some(({ to }) => to === field))
  const before = columnParts(was).filter(({ field }) => fields.some(({ from, to }) => from === field && to))
  const pairs = after.map((part) => ({ part, same: before.find((one) => isSame(one, part, fields)) }))
  return {
    dropped: before.filter((part) => pairs.every(({ same }) => same !== part)),
    renamed: pairs.flatMap(({ part: { name }, same }) =>
      same && same.name !== name ? [{ part: same, name }] : [],
    ),
    created: pairs.filter(({ same }) => !same).map(({ part }) => part),
  }
}

const isSame = (one: ColumnPart, other: ColumnPart, fields: TableChange['fields']): boolean =>
  one.use === other.use &&
  one.definition === other.definition &&
  isDeepStrictEqual(
    one.others.map((column) => columnAfter(column, fields)),
    other.others,
  ) &&
  typeOf(one.field) === typeOf(other.field) &&
  fields.some(({ from, to }) => from === one.field && to === other.field)

const columnAfter = (column: string, fields: TableChange['fields']): string =>
  fields.find(({ from }) => from?.column === column)?.to?.column ?? column

/** Undoes a change. A column that comes back has no values. */
export const undone = ({ was, model, fields }: TableChange): TableChange => ({
  was: model,
  model: was,
  fields: fields.map(({ from, to }) => ({ from: to, to: from })),
})

/** Returns the type of a column in Postgres. */
export const typeOf = (field: Field): string => columnOf(field, undefined).type

export const columnDropped = (model: Model, field: Field): string[] =>
  field.type.isList
    ? dropJoins(model, [field])
    : [altered(model.names.table, `dropColumn('${field.column}')`)]

/** Adds a nullable column without its constraints. With a default, it has this value in all rows. */
export function columnAdded({ names }: Model, { target: _target, ...field }: Field): string {
  const { type, modifiers } = columnOf(field, undefined)
  const filled = field.default === undefined && !field.computed ? '' : `, (column) => column${modifiers}`
  return altered(names.table, `addColumn('${field.column}', ${typeCode(type)}${filled})`)
}

/** Returns the statement that changes a column: `setNotNull()`. */
export const columnChanged = ({ names }: Model, { column }: Field, step: string): string =>
  altered(names.table, `alterColumn('${column}', (column) => column.${step})`)

/** Returns the statements that drop the default of one column, and set that of another one. */
export const defaultSteps = (model: Model, from: Field | null, to: Field | null): string[] => [
  ...(from?.default === undefined ? [] : [columnChanged(model, from, 'dropDefault()')]),
  ...(to?.default === undefined ? [] : [columnChanged(model, to, `setDefault(${defaultCode(to)})`)]),
]

function changed({ was, model }: TableChange, from: Field, to: Field): string[] {
  if (to.type.isList) return joinRenamed(was, model, { from, to })
  const { table } = model.names
  const isOtherType = typeOf(from) !== typeOf(to) || isNarrower(model, from, to)
  const isOtherDefault = isOtherType || defaultCode(from) !== defaultCode(to)
  const unset = { ...from, column: to.column }
  return [
    ...(from.column === to.column ? [] : [altered(table, `renameColumn('${from.column}', '${to.column}')`)]),
    ...(isOtherDefault ? defaultSteps(model, unset, null) : []),
    ...(isOtherType ? [retyped(table, to)] : []),
    ...(isOtherDefault ? defaultSteps(model, null, to) : []),
    ...(from.nullable && !to.nullable ? requiredSteps(model, to) : []),
    ...(!from.nullable && to.nullable ? [columnChanged(model, to, 'dropNotNull()')] : []),
  ]
}

function retyped(table: string, field: Field): string {
  const [column, type] = [sqlName(field.column), typeOf(field)]
  return `await sql\`alter table ${sqlName(table)} alter column ${column} type ${type} using ${column}::${type}\`.execute(db)`
}

/** Returns the statements that make a column required. Without a default, they fail if a row has no value. */
export function requiredSteps(model: Model, field: Field): string[] {
  const [table, column] = [sqlName(model.names.table), sqlName(field.column)]
  const first =
    field.default === undefined
      ? `// Fails if a row has no ${field.column}: give these rows a value first.`
      : `await sql\`update ${table} set ${column} = default where ${column} is null\`.execute(db)`
  return [first, columnChanged(model, field, 'setNotNull()')]
}
