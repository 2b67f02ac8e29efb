import { constraintName } from 'pergola/database'
import { keyColumns } from './key-columns.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Returns code for a foreign key that contains the tenant, so that Postgres refuses records of another tenant. */
export function foreignKeyOf(model: Model, { column, target, onDelete = 'restrict' }: Field): string | null {
  const { names, tenant } = model
  if (tenant === undefined || target?.tenant === undefined) return null
  const name = constraintName(names.table, column, 'fkey')
  const parent = target.names.table
  if (onDelete !== 'set null') {
    const arguments_ = `'${name}', [${keyColumns(model, column)}], '${parent}', [${keyColumns(model, 'id')}]`
    return `await db.schema.alterTable('${names.table}').addForeignKeyConstraint(${arguments_}).onDelete('${onDelete}').execute()`
  }
  // Kysely has no list of columns here, and the tenant must keep its value.
  const columns = [tenant.column, column].map(sqlName).join(', ')
  return `await sql\`
    alter table ${sqlName(names.table)} add constraint ${sqlName(name)} foreign key (${columns})
    references ${sqlName(parent)} (${sqlName(tenant.column)}, id) on delete set null (${sqlName(column)})\`.execute(db)`
}
