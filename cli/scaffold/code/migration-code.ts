import { literal } from './snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { constraintName, sqlName } from './sql-names.ts'

/** What the template of the migration needs to know: columns, constraints and indexes, each with its name. */
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
    indexes: indexesOf(model),
  }
}

/** The constraint, or the index, that keeps a column's values apart. */
export const uniqueOf = (table: string, column: string) => ({
  name: constraintName(table, column, 'unique'),
  column,
})

/** Its statement where there is a trash: what is in there keeps no value from being given again. */
export const uniqueIndex = (table: string, { name, column }: ReturnType<typeof uniqueOf>): string =>
  `await db.schema.createIndex('${name}').unique().on('${table}').column('${column}').where(sql<boolean>\`deleted_at is null\`).execute()`

/** A column as the migration adds it. */
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

/** A field as the migration adds it. */
export function columnOf(field: Field): ColumnCode {
  const { target, onDelete = 'restrict' } = field
  const filled = field.nullable ? '' : '.notNull()'
  const byDefault = field.default === undefined ? '' : `.defaultTo(${literal(field.default)})`
  const reference = target ? `.references('${target.names.table}.id').onDelete('${onDelete}')` : ''
  return { name: field.column, type: field.type.sqlType(field), modifiers: filled + byDefault + reference }
}

/** What the database refuses whoever asks: the same limits that the input has. Null where the type says it all. */
export function checkOf(table: string, field: Field): { name: string; check: string } | null {
  const { column, type } = field
  const constraint = type.constraint?.(field, sqlName(column)) ?? null
  return constraint && { name: constraintName(table, column, constraint.suffix), check: constraint.condition }
}

/** For references, for what was asked for, and for the order of cursors. */
function indexesOf({ names: { table }, fields, cursor }: Model) {
  const single = fields
    .filter(({ target, index, unique }) => (target || index) && !unique)
    .map(({ column }) => ({ name: constraintName(table, column), columns: [column] }))
  const walked = [...new Set(['created_at', ...(cursor === null || cursor === 'id' ? [] : [cursor])])]
  return [
    ...single,
    ...walked.map((column) => ({ name: constraintName(table, column, 'id'), columns: [column, 'id'] })),
  ]
}

/** How a cursor of this column compares, for `cursorKeyType`. */
export function cursorTypeOf({ fields, id, cursor }: Model): string {
  if (cursor === 'id') return id
  const field = fields.find(({ column }) => column === cursor)
  if (field === undefined) return 'timestamptz'
  return field.type.sqlType(field).replace(/\(.*/, '')
}
