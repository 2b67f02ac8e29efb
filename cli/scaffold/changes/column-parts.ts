import { constraintName } from 'pergola/database'
import { altered, uniqueStep } from '../code/added-columns.ts'
import { indexesOf, indexName, indexStep, type ListIndex, searchSteps } from '../code/list-indexes.ts'
import { checkOf, uniqueOf } from '../code/migration-code.ts'
import { searchFields } from '../code/model-fields.ts'
import { sqlName } from '../code/sql-names.ts'
import { foreignKeyOf } from '../tenants/foreign-key.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** A constraint or an index of a column. */
export interface ColumnPart {
  readonly field: Field
  readonly use: 'check' | 'unique' | 'fkey' | 'index' | 'sort' | 'filter' | 'search'
  readonly name: string
  /** Parts of two models with the same use and definition differ in their names only. */
  readonly definition: string
  /** The statement that creates it. */
  readonly code: string
}

/** Returns the constraints and indexes of all columns that fields declare. */
export const columnParts = (model: Model): ColumnPart[] => [
  ...model.fields.flatMap((field) => constraintsOf(model, field)),
  ...model.fields.flatMap((field) =>
    indexesOf(model)
      .filter(({ column }) => column === field.column)
      .map((index) => indexPart(model, field, index)),
  ),
  ...searchFields(model).map((field) => searchPart(model, field)),
]

function constraintsOf(model: Model, field: Field): ColumnPart[] {
  const { table } = model.names
  const check = checkOf(table, field)
  return [
    ...(check ? [checkPart(model, field, check)] : []),
    ...(field.unique
      ? [
          {
            field,
            use: 'unique' as const,
            name: uniqueOf(model, field).name,
            definition: '',
            code: uniqueStep(model, field),
          },
        ]
      : []),
    ...referenceParts(model, field),
  ]
}

function checkPart(
  { names: { table } }: Model,
  field: Field,
  { name, check }: NonNullable<ReturnType<typeof checkOf>>,
): ColumnPart {
  const definition = checkOf(table, { ...field, column: 'value' })?.check ?? ''
  return {
    field,
    use: 'check',
    name,
    definition,
    code: altered(table, `addCheckConstraint('${name}', sql\`${check}\`)`),
  }
}

/** Postgres names the foreign key of a column. A name of more than 63 characters is left as it is. */
function referenceParts(model: Model, field: Field): ColumnPart[] {
  const { target, column, onDelete = 'restrict' } = field
  const { table } = model.names
  const name = constraintName(table, column, 'fkey')
  const within = foreignKeyOf(model, field)
  if (!target || (within === null && name !== `${table}_${column}_fkey`)) return []
  const key = `addForeignKeyConstraint('${name}', ['${column}'], '${target.names.table}', ['id']).onDelete('${onDelete}')`
  const definition = `${target.names.table} ${onDelete}`
  return [{ field, use: 'fkey', name, definition, code: within ?? altered(table, key) }]
}

const indexPart = (model: Model, field: Field, index: ListIndex): ColumnPart => ({
  field,
  use: index.use,
  name: indexName(model, index),
  definition: index.after.join(),
  code: indexStep(model, index),
})

const searchPart = ({ names: { table } }: Model, field: Field): ColumnPart => ({
  field,
  use: 'search',
  name: constraintName(table, field.column, 'search'),
  definition: '',
  code: '',
})

/** Returns the statements that create these parts. One statement creates all indexes of the search. */
export function partsCreated(model: Model, parts: readonly ColumnPart[]): string[] {
  const [searched, others] = [
    parts.filter(({ use }) => use === 'search'),
    parts.filter(({ use }) => use !== 'search'),
  ]
  return [
    ...others.map(({ code }) => code),
    ...searchSteps(
      model,
      searched.map(({ field }) => field),
    ),
  ]
}

export const partDropped = (model: Model, part: ColumnPart): string =>
  isIndex(model, part)
    ? `await db.schema.dropIndex('${part.name}').ifExists().execute()`
    : altered(model.names.table, `dropConstraint('${part.name}').ifExists()`)

export const partRenamed = (model: Model, part: ColumnPart, to: string): string =>
  isIndex(model, part)
    ? `await sql\`alter index if exists ${sqlName(part.name)} rename to ${sqlName(to)}\`.execute(db)`
    : altered(model.names.table, `renameConstraint('${part.name}', '${to}')`)

/** With a trash, an index makes the values of the other rows unique. */
const isIndex = ({ softDelete }: Model, { use }: ColumnPart): boolean =>
  !['check', 'fkey', 'unique'].includes(use) || (use === 'unique' && softDelete)
