import { constraintName } from 'pergola/database'
import { altered } from '../code/migration-file.ts'
import { uniqueStep } from '../code/added-columns.ts'
import { indexesOf, indexName, indexStep, searchSteps } from '../code/list-indexes.ts'
import { checkOf, uniqueOf } from '../code/migration-code.ts'
import { searchFields } from '../code/model-fields.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { columnFields } from '../many/join-code.ts'
import { constraintDropped, constraintRenamed } from '../from-table/changed-table.ts'
import { foreignKeyOf } from '../tenants/foreign-key.ts'
import { fieldsWithin } from '../unique-within/unique-within.ts'

/** A constraint or an index of a column. */
export interface ColumnPart {
  readonly field: Field
  readonly use: 'check' | 'unique' | 'fkey' | 'index' | 'sort' | 'filter' | 'search'
  readonly name: string
  /** Parts of two models with the same use, definition and columns differ in their names only. */
  readonly definition: string
  /** The other columns of a key or an index. */
  readonly others: readonly string[]
  /** The statement that creates it. One statement creates all indexes of the search. */
  readonly code: string
}

/** Returns the constraints and indexes of all columns that fields declare. */
export const columnParts = (model: Model): ColumnPart[] =>
  columnFields(model.fields).flatMap((field) => {
    const constraints = [checkPart(model, field), uniquePart(model, field), referencePart(model, field)]
    return [...constraints.filter((part) => part !== null), ...indexParts(model, field)]
  })

function checkPart({ names: { table } }: Model, field: Field): ColumnPart | null {
  const constraint = checkOf(table, field)
  if (constraint === null) return null
  const { name, check } = constraint
  const definition = checkOf(table, { ...field, column: 'value' })?.check ?? ''
  const code = altered(table, `addCheckConstraint('${name}', sql\`${check}\`)`)
  return { field, use: 'check', name, definition, others: [], code }
}

function uniquePart(model: Model, field: Field): ColumnPart | null {
  if (!field.unique) return null
  const { name } = uniqueOf(model, field)
  const others = fieldsWithin(model.fields, field).map(({ column }) => column)
  return { field, use: 'unique', name, definition: '', others, code: uniqueStep(model, field) }
}

/** Postgres names the foreign key of a column. It shortens a name of more than 63 characters, so that key is left out. */
function referencePart(model: Model, field: Field): ColumnPart | null {
  const { target, column, onDelete = 'restrict' } = field
  const { table } = model.names
  const name = constraintName(table, column, 'fkey')
  const within = foreignKeyOf(model, field)
  if (!target || (within === null && name !== `${table}_${column}_fkey`)) return null
  const key = `addForeignKeyConstraint('${name}', ['${column}'], '${target.names.table}', ['id']).onDelete('${onDelete}')`
  return { field, use: 'fkey', name, definition: onDelete, others: [], code: within ?? altered(table, key) }
}

function indexParts(model: Model, field: Field): ColumnPart[] {
  const own = indexesOf(model).filter(({ column }) => column === field.column)
  const lists = own.map((index): ColumnPart => {
    const [name, code] = [indexName(model, index), indexStep(model, index)]
    return { field, use: index.use, name, definition: '', others: index.after, code }
  })
  if (!searchFields(model).includes(field)) return lists
  const name = constraintName(model.names.table, field.column, 'search')
  return [...lists, { field, use: 'search', name, definition: '', others: [], code: '' }]
}

/** Returns the statements that create these parts. */
export function partsCreated(model: Model, parts: readonly ColumnPart[]): string[] {
  const { search = [], others = [] } = Object.groupBy(parts, ({ use }) => (use === 'search' ? use : 'others'))
  const searched = search.map(({ field }) => field)
  return [...others.map(({ code }) => code), ...searchSteps(model, searched)]
}

/** Returns whether a part makes several columns unique together. */
export const isWideKey = ({ use, others }: ColumnPart): boolean => use === 'unique' && others.length > 0

/** Returns the statements that create the keys of these fields that have several columns. */
export const keysCreated = (model: Model, fields: readonly Field[]): string[] =>
  partsCreated(
    model,
    columnParts(model).filter((part) => isWideKey(part) && fields.includes(part.field)),
  )

export const partDropped = (model: Model, part: ColumnPart): string =>
  isIndex(model, part)
    ? `await db.schema.dropIndex('${part.name}').ifExists().execute()`
    : constraintDropped(model, part)

export const partRenamed = (model: Model, part: ColumnPart, to: string): string =>
  isIndex(model, part)
    ? `await sql\`alter index if exists ${sqlName(part.name)} rename to ${sqlName(to)}\`.execute(db)`
    : constraintRenamed(model, part.name, to)

/** With a trash, an index makes the values of the other rows unique. */
const isIndex = ({ softDelete }: Model, { use }: ColumnPart): boolean =>
  use === 'unique' ? softDelete : use !== 'check' && use !== 'fkey'
