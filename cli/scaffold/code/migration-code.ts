import { constraintName } from 'pergola'
import { indexSteps, orderIndex, searchSteps } from './list-indexes.ts'
import { literal } from './snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { sqlName } from './sql-names.ts'

/** The variables of the migration's template. */
export function migrationData(model: Model): object {
  const { names, id, fields, softDelete } = model
  const uniques = fields.filter(({ unique }) => unique).map(({ column }) => uniqueOf(names.table, column))
  return {
    names,
    id,
    columns: columnsOf(model),
    uniques: softDelete ? [] : uniques,
    uniquesOfLive: softDelete ? uniques : [],
    uniqueIndex,
    checks: fields.flatMap((field) => checkOf(names.table, field) ?? []),
    indexes: [...indexSteps(model), orderIndex(model, 'created_at')],
    searches: searchSteps(model),
  }
}

/** Returns the constraint or index that makes a column unique. */
export const uniqueOf = (table: string, column: string) => ({
  name: constraintName(table, column, 'unique'),
  column,
})

/** Returns the statement for a table with a trash. Deleted rows may have the same value. */
export const uniqueIndex = (table: string, { name, column }: ReturnType<typeof uniqueOf>): string =>
  `await db.schema.createIndex('${name}').unique().on('${table}').column('${column}').where(sql<boolean>\`deleted_at is null\`).execute()`

/** The parts of the code that adds a column. */
export interface ColumnCode {
  readonly name: string
  readonly type: string
  /** `.notNull().defaultTo(false)` */
  readonly modifiers: string
}

function columnsOf({ id, fields, softDelete, version }: Model): ColumnCode[] {
  return [
    id === 'uuid'
      ? { name: 'id', type: 'uuid', modifiers: '.primaryKey().defaultTo(newId)' }
      : { name: 'id', type: 'bigint', modifiers: '.primaryKey().generatedAlwaysAsIdentity()' },
    ...fields.map(columnOf),
    { name: 'created_at', type: 'timestamptz', modifiers: '.notNull().defaultTo(sql`now()`)' },
    ...(softDelete ? [{ name: 'deleted_at', type: 'timestamptz', modifiers: '' }] : []),
    ...(version ? [{ name: 'version', type: 'integer', modifiers: '.notNull().defaultTo(1)' }] : []),
  ]
}

/** Returns the code that adds the column of a field. */
export function columnOf(field: Field): ColumnCode {
  const { target, onDelete = 'restrict' } = field
  const filled = field.nullable ? '' : '.notNull()'
  const byDefault = field.default === undefined ? '' : `.defaultTo(${literal(field.default)})`
  const reference = target ? `.references('${target.names.table}.id').onDelete('${onDelete}')` : ''
  return { name: field.column, type: field.type.sqlType(field), modifiers: filled + byDefault + reference }
}

/** Returns the check constraint, with the limits of the input; null if the column's type is sufficient. */
export function checkOf(table: string, field: Field): { name: string; check: string } | null {
  const { column, type } = field
  const constraint = type.constraint?.(field, sqlName(column)) ?? null
  return constraint && { name: constraintName(table, column, constraint.suffix), check: constraint.condition }
}

/** Returns the Postgres type of the cursor's column, for `cursorKeyType`. */
export function cursorTypeOf({ fields, id, cursor }: Model): string {
  if (cursor === 'id') return id
  const field = fields.find(({ column }) => column === cursor)
  if (field === undefined) return 'timestamptz'
  return field.type.sqlType(field).replace(/\(.*/, '')
}
