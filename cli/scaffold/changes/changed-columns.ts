import { altered } from '../code/added-columns.ts'
import { columnOf } from '../code/migration-code.ts'
import { literal } from '../code/snippets.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { type ColumnPart, columnParts, partDropped, partRenamed, partsCreated } from './column-parts.ts'

/** A model before and after a change, and its fields in both. A field that one of them lacks is null there. */
export interface TableChange {
  readonly was: Model
  readonly model: Model
  readonly fields: readonly { readonly from: Field | null; readonly to: Field | null }[]
}

/** Returns the statements that change the columns, with their constraints and indexes. */
export function columnSteps({ was, model, fields }: TableChange): string[] {
  const [before, after] = [columnParts(was), columnParts(model)]
  const pairs = after.map((part) => ({ part, same: before.find((one) => isSame(one, part, fields)) }))
  const kept = new Set(pairs.map(({ same }) => same))
  const dropped = before.filter(
    (part) => !kept.has(part) && fields.some(({ from, to }) => from === part.field && to),
  )
  return [
    ...dropped.map((part) => partDropped(was, part)),
    ...fields.flatMap(({ from, to }) =>
      to === null ? removed(was, from) : from === null ? added(model, to) : changed(model, from, to),
    ),
    ...pairs.flatMap(({ part, same }) =>
      same && same.name !== part.name ? [partRenamed(was, same, part.name)] : [],
    ),
    ...partsCreated(
      model,
      pairs
        .filter(({ same, part }) => !same && fields.some(({ to }) => to === part.field))
        .map(({ part }) => part),
    ),
  ]
}

/** Undoes a change. A column that comes back has no values. */
export const undone = ({ was, model, fields }: TableChange): TableChange => ({
  was: model,
  model: was,
  fields: fields.map(({ from, to }) => ({ from: to, to: from })),
})

const isSame = (one: ColumnPart, other: ColumnPart, fields: TableChange['fields']): boolean =>
  one.use === other.use &&
  one.definition === other.definition &&
  typeOf(one.field) === typeOf(other.field) &&
  fields.some(({ from, to }) => from === one.field && to === other.field)

/** Returns the type of a column in Postgres. */
export const typeOf = (field: Field): string => columnOf(field, undefined).type

const removed = ({ names }: Model, field: Field | null): string[] =>
  field ? [altered(names.table, `dropColumn('${field.column}')`)] : []

/** Rows have no value, but the default. */
function added({ names }: Model, { target: _target, ...field }: Field): string[] {
  const { type, modifiers } = columnOf(field, undefined)
  const filled = field.default === undefined ? '' : `, (column) => column${modifiers}`
  return [altered(names.table, `addColumn('${field.column}', '${type}'${filled})`)]
}

function changed({ names: { table } }: Model, from: Field, to: Field): string[] {
  const column = (step: string) => altered(table, `alterColumn('${to.column}', (column) => column.${step})`)
  const isOtherType = typeOf(from) !== typeOf(to)
  const isOtherDefault = isOtherType || from.default !== to.default
  return [
    ...(from.column === to.column ? [] : [altered(table, `renameColumn('${from.column}', '${to.column}')`)]),
    ...(isOtherDefault && from.default !== undefined ? [column('dropDefault()')] : []),
    ...(isOtherType ? [retyped(table, to)] : []),
    ...(isOtherDefault && to.default !== undefined ? [column(`setDefault(${literal(to.default)})`)] : []),
    ...(from.nullable && !to.nullable ? [...filled(table, to), column('setNotNull()')] : []),
    ...(!from.nullable && to.nullable ? [column('dropNotNull()')] : []),
  ]
}

function retyped(table: string, field: Field): string {
  const [column, type] = [sqlName(field.column), typeOf(field)]
  return `await sql\`alter table ${sqlName(table)} alter column ${column} type ${type} using ${column}::${type}\`.execute(db)`
}

/** Nobody invents values: without a default, the migration fails if a row has none. */
const filled = (table: string, { column, default: usual }: Field): string[] =>
  usual === undefined
    ? [`// Fails if a row has no ${column}: give these rows a value first.`]
    : [
        `await sql\`update ${sqlName(table)} set ${sqlName(column)} = default where ${sqlName(column)} is null\`.execute(db)`,
      ]
