import { isDeepStrictEqual } from 'node:util'
import { altered } from '../code/migration-file.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

type Adopted = Pick<Model, 'names' | 'fromTable'>

/** Returns the statement that drops a constraint. A table that existed before may lack it, or have another name for it. */
export const constraintDropped = ({ names, fromTable }: Adopted, name: string): string =>
  altered(names.table, `dropConstraint('${name}')${fromTable === undefined ? '' : '.ifExists()'}`)

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
