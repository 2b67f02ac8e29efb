import { constraintName } from 'pergola/database'
import { defaultCode, typeCode } from '../arrays/array-code.ts'
import { foreignKeyOf } from '../tenants/foreign-key.ts'
import { uniqueColumns } from '../unique-within/unique-within.ts'
import { keyColumns, tenantColumn } from '../tenants/key-columns.ts'
import { index, indexesOf, indexStep, searchSteps } from './list-indexes.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model, Tenants } from '../model.ts'
import { columnFields, dropJoins, joinSteps } from '../many/join-code.ts'
import { expressionSql } from '../computed/expression.ts'
import { sqlName } from './sql-names.ts'

/** The variables of the migration's template. */
export function migrationData(model: Model): object {
  const { names, id, softDelete } = model
  const fields = columnFields(model.fields)
  const uniques = fields.filter(({ unique }) => unique).map((field) => uniqueOf(model, field))
  return {
    names,
    id,
    columns: columnsOf(model),
    typeCode,
    key: model.tenant ? { name: `${names.table}_pkey`, columns: keyColumns(model, 'id') } : null,
    foreignKeys: fields.flatMap((field) => foreignKeyOf(model, field) ?? []),
    uniques: softDelete ? [] : uniques,
    uniquesOfLive: softDelete ? uniques : [],
    uniqueIndex,
    checks: fields.flatMap((field) => checkOf(names.table, field) ?? []),
    indexes: [...indexesOf(model), index('created_at', 'sort')].map((one) => indexStep(model, one)),
    searches: searchSteps(model),
    joins: joinSteps(model, model.fields),
    dropJoins: dropJoins(model, model.fields),
  }
}

/** Returns the constraint or index that makes a column unique, within the tenant and other columns. */
export const uniqueOf = (model: Model, field: Field) => ({
  name: constraintName(model.names.table, ...uniqueColumns(model, field), 'unique'),
  columns: keyColumns(model, ...uniqueColumns(model, field)),
})

/** Returns the statement for a table with a trash. Deleted rows may have the same value. */
export const uniqueIndex = (table: string, { name, columns }: ReturnType<typeof uniqueOf>): string =>
  `await db.schema.createIndex('${name}').unique().on('${table}').columns([${columns}]).where(sql<boolean>\`deleted_at is null\`).execute()`

/** The parts of the code that adds a column. */
export interface ColumnCode {
  readonly name: string
  readonly type: string
  /** `.notNull().defaultTo(false)` */
  readonly modifiers: string
}

function columnsOf({ id, fields, softDelete, version, tenant }: Model): ColumnCode[] {
  const key = tenant === undefined ? '.primaryKey()' : '.notNull()'
  return [
    id === 'uuid'
      ? { name: 'id', type: 'uuid', modifiers: `${key}.defaultTo(newId)` }
      : { name: 'id', type: 'bigint', modifiers: `${key}.generatedAlwaysAsIdentity()` },
    ...(tenant ? [tenantColumn(tenant)] : []),
    ...columnFields(fields).map((field) => columnOf(field, tenant)),
    { name: 'created_at', type: 'timestamptz', modifiers: '.notNull().defaultTo(sql`now()`)' },
    ...(softDelete ? [{ name: 'deleted_at', type: 'timestamptz', modifiers: '' }] : []),
    ...(version ? [{ name: 'version', type: 'integer', modifiers: '.notNull().defaultTo(1)' }] : []),
  ]
}

/** Returns the code that adds the column of a field. See `foreignKeyOf` for references within a tenant. */
export function columnOf(field: Field, tenant: Tenants | undefined): ColumnCode {
  const { target, onDelete = 'restrict' } = field
  const filled = field.nullable ? '' : '.notNull()'
  const byDefault = field.default === undefined ? '' : `.defaultTo(${defaultCode(field)})`
  const isWithin = tenant !== undefined && target?.tenant !== undefined
  const reference =
    target && !isWithin ? `.references('${target.names.table}.id').onDelete('${onDelete}')` : ''
  return {
    name: field.column,
    type: field.type.sqlType?.(field) ?? 'text',
    modifiers:
      (field.computed ? `.generatedAlwaysAs(sql\`${expressionSql(field.computed)}\`).stored()` : '') +
      filled +
      byDefault +
      reference,
  }
}

/** Returns the check constraint, with the limits of the input; null if the column's type is sufficient. */
export function checkOf(table: string, field: Field): { name: string; check: string } | null {
  const { column, type } = field
  const constraint = (field.computed ? undefined : type.constraint)?.(field, sqlName(column)) ?? null
  return constraint && { name: constraintName(table, column, constraint.suffix), check: constraint.condition }
}
