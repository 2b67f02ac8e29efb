import { isDeepStrictEqual } from 'node:util'
import { altered } from '../code/migration-file.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

type Adopted = Pick<Model, 'names' | 'fromTable'>

interface Part {
  readonly field: Field
  readonly use: string
  readonly name: string
}

/** Returns the statement that drops a constraint. A table that existed before may lack it, or have another name for it. */
export function constraintDropped(
  { names: { table }, fromTable }: Adopted,
  { field, use, name }: Part,
): string {
  if (fromTable !== undefined && use === 'check') return checksDropped(table, field.column)
  return altered(table, `dropConstraint('${name}')${fromTable === undefined ? '' : '.ifExists()'}`)
}

/** Returns the statement that drops the checks of a single column, whatever their names. */
const checksDropped = (
  table: string,
  column: string,
): string => `await sql\`do $$ declare check_name text; begin
    for check_name in select conname from pg_constraint where conrelid = '${sqlName(table)}'::regclass and contype = 'c'
      and conkey = array(select attnum from pg_attribute where attrelid = conrelid and attname = '${column}')
    loop execute format('alter table ${sqlName(table)} drop constraint %I', check_name); end loop;
  end $$\`.execute(db)`

/** Returns the statement that renames a constraint. */
export function constraintRenamed(
  { names: { table }, fromTable }: Adopted,
  name: string,
  to: string,
): string {
  if (fromTable === undefined) return altered(table, `renameConstraint('${name}', '${to}')`)
  const step = `alter table ${sqlName(table)} rename constraint ${sqlName(name)} to ${sqlName(to)}`
  return `await sql\`do $$ begin ${step}; exception when undefined_object then null; end $$\`.execute(db)`
}

/** Returns whether a column of a table that existed before may have a narrower type than its field: varchar(50), an enum. */
export const isNarrower = ({ fromTable }: Adopted, from: Field, to: Field): boolean =>
  fromTable !== undefined && !isDeepStrictEqual(limitsOf(from), limitsOf(to))

const limitsOf = ({ type, max, values }: Field) => [type.name, max, values]
