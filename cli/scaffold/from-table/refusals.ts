import { wordsOf } from '../read/names.ts'
import { isManaged, quoted } from './adaptations.ts'
import { keyOf, referenceOf, snakeName, type StoredTable, type TableConstraint } from './stored-tables.ts'

/** A table whose key is two references: it joins the records of two tables. */
export interface JoinTable {
  readonly name: string
  readonly tables: readonly [string, string]
}

/** Returns the join table that this table is; null for another table. */
export function joinTableOf(table: StoredTable): JoinTable | null {
  const key = keyOf(table)
  const [one, other] = key.map((column) => referenceOf(table, column)?.target)
  const isFilled = table.columns.every(
    ({ column, nullable, has_default }) => key.includes(column) || nullable || has_default,
  )
  return key.length === 2 && one && other && isFilled ? { name: table.name, tables: [one, other] } : null
}

/** Returns why a table can't become a resource, and what to do, in a sentence; null if it can. */
export function refusalOf(table: StoredTable, tables: readonly StoredTable[]): string | null {
  const { name, isView, columns } = table
  const [key = '', ...others] = keyOf(table)
  const join = joinTableOf(table)
  if (isView) return `${name} is a view, and a resource needs a table: scaffold the tables that it reads.`
  if (wordsOf(name).join('_') !== name)
    return `${name} is not a name in lower case: ${renameTable(name, wordsOf(name).join('_'))}`
  if (key === '')
    return `${name} has no primary key. Add one: alter table ${quoted(name)} add column id bigint generated always as identity primary key`
  if (join)
    return `${name} joins ${join.tables.join(' and ')}: declare it as a list of one of them, see docs/recipes/many-to-many.md.`
  const created = columns.find((column) => snakeName(column) === 'created_at')
  if (created && !isManaged(created))
    return `${name}.${created.column} has the type ${created.sqlType}, and a resource has a time. Rename it: alter table ${quoted(name)} rename column ${quoted(created.column)} to created`
  const type = columns.find(({ column }) => column === key)?.base ?? ''
  const isNumber = /^(?:smallint|integer|bigint|uuid)$/.test(type)
  if (others.length === 0 && isNumber) return key === 'id' ? null : takenId(table)
  const reason = others.length > 0 ? `a key of ${others.length + 1} columns` : `a key of the type ${type}`
  return `${name} has ${reason}, and a resource has a number or a uuid. Add one, and keep the key unique: ${withId(table, tables)}`
}

/** Returns a sentence for a table with another column named id. */
const takenId = ({ name, columns }: StoredTable): string | null =>
  columns.some(({ column }) => column === 'id')
    ? `${name} has a column id that is not its key. Rename it: alter table ${quoted(name)} rename column id to other_id`
    : null

const renameTable = (name: string, to: string): string =>
  `alter table ${quoted(name)} rename to ${quoted(to)}`

/** Returns the statements that add an id. The keys of other tables lead to the unique columns then. */
function withId(table: StoredTable, tables: readonly StoredTable[]): string {
  const { name, constraints } = table
  const key = constraints.find(({ type }) => type === 'p')
  const users = tables.flatMap((other) =>
    other.constraints
      .filter(({ type, target }) => type === 'f' && target === name)
      .map((one) => [other.name, one] as const),
  )
  return [
    `alter table ${quoted(name)} drop constraint ${quoted(key?.name ?? '')}${users.length > 0 ? ' cascade' : ''}, add unique (${listOf(key?.columns)}), ` +
      'add column id bigint generated always as identity primary key',
    ...users.map(([user, one]) => `alter table ${quoted(user)} add ${referencing(one)}`),
  ].join('; ')
}

const referencing = ({ columns, target, targetColumns }: TableConstraint): string =>
  `foreign key (${listOf(columns)}) references ${quoted(target ?? '')} (${listOf(targetColumns)})`

const listOf = (columns: readonly string[] = []): string => columns.map(quoted).join(', ')
