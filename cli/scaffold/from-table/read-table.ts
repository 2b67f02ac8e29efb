import { Exit, EXIT } from '../../exit.ts'
import { choices, nearest } from '../../nearest.ts'
import { type Existing, nameConflict } from '../existing.ts'
import type { Target } from '../field-types/field-type.ts'
import { fieldNameIn, namesOf } from '../read/names.ts'
import type { ScaffoldArguments } from '../read/options.ts'
import { type Adaptation, isManaged, managedColumns } from './adaptations.ts'
import { type ColumnWords, columnWords } from './column-words.ts'
import { misfit, missingColumns } from './given-words.ts'
import { refusalOf } from './refusals.ts'
import {
  keyColumn,
  keyOf,
  referenceOf,
  snakeName,
  type StoredTable,
  type TableColumn,
} from './stored-tables.ts'
import { leadsTo } from './table-order.ts'

export interface Schema {
  readonly tables: readonly StoredTable[]
  readonly existing: Existing
}

/** The command line for a table, and the changes that the table needs. */
export interface TableWords {
  readonly args: ScaffoldArguments
  readonly adaptations: readonly Adaptation[]
  readonly notes: readonly string[]
}

/**
 * Returns the words for a table, whose columns in `long` have long texts. `given` overrides them. Throws a sentence with the
 * remedy if the table can't be a resource.
 */
export function wordsOfTable(
  table: StoredTable,
  given: ScaffoldArguments,
  schema: Schema & { readonly long?: ReadonlySet<string> },
): TableWords {
  const args = argumentsFor(table, given)
  const refusal = refusalOf(table, schema.tables) ?? conflictOf(table, args, schema.existing)
  if (refusal !== null) throw refused(refusal)
  const managed = table.columns.filter((column) => isManaged(column))
  const placed = new Set<string>()
  const own = [...keyOf(table), ...managed.map(({ column }) => column)]
  const has = (name: string) => managed.some((column) => snakeName(column) === name)
  const read = table.columns
    .filter(({ column }) => !own.includes(column))
    .map((column): ColumnWords => {
      const isLong = schema.long?.has(column.column) ?? false
      const words = columnWords(table, column, { target: targetOf(table, column, schema), isLong })
      const names = [snakeName(column), fieldNameIn(words.token ?? '')]
      const token = given.fields.find((one) => names.includes(fieldNameIn(one)))
      if (token === undefined) return words
      placed.add(token)
      const refusal = misfit(table, column, { token, isLong })
      return { adaptations: words.adaptations ?? [], ...(refusal !== null && { refusal }) }
    })
  const adaptations = [...managedColumns(table), ...read.flatMap(({ adaptations = [] }) => adaptations)]
  const retyped = adaptations.flatMap(({ retypes }) => retypes ?? [])
  const stuck = table.columns.filter(({ column, usedBy }) => usedBy.length > 0 && retyped.includes(column))
  const refusals = [
    ...stuck.map((column) => inUse(table, column)),
    ...read.flatMap(({ refusal }) => refusal ?? []),
    ...missingColumns(table, { ...args, fields: given.fields.filter((one) => !placed.has(one)) }, has),
  ]
  if (refusals.length > 0) throw refused(refusals.join('\n'))
  const tokens = read.flatMap(({ token }) => token ?? [])
  const others = read.flatMap(({ other }) => other ?? [])
  const options = {
    ...(keyColumn(table)?.base === 'uuid' && { id: 'uuid' }),
    softDelete: has('deleted_at'),
    version: has('version'),
    ...(others.length > 0 && { otherColumns: JSON.stringify(others) }),
    ...args.options,
  }
  return {
    args: { ...args, fields: [...tokens, ...given.fields], options },
    adaptations,
    notes: read.flatMap(({ notes = [] }) => notes),
  }
}

/** The name of the table is the plural, which the record states unless it is the usual one. */
function argumentsFor(
  { name: table }: StoredTable,
  { name, fields, options }: ScaffoldArguments,
): ScaffoldArguments {
  const isUsual = namesOf(name || table).table === table
  return {
    name: name || namesOf(table).file.replaceAll('-', '_'),
    fields,
    options: { ...options, ...(!isUsual && { plural: table }), fromTable: table },
  }
}

function conflictOf(
  { name: table }: StoredTable,
  { name, options }: ScaffoldArguments,
  existing: Existing,
): string | null {
  const same = existing.targets.find(({ names }) => names.table === table)?.names
  if (same)
    return `${table} has the resource ${same.resource} already. To add a field: npx cli scaffold ${same.file.replaceAll('-', '_')} name:type`
  const conflict = nameConflict(namesOf(name, options), { ...existing, tables: new Set() })
  const remedy = `Use another name: npx cli scaffold my_${name} --from-table ${table}`
  return conflict && `${table} can't be scaffolded: ${conflict}. ${remedy}`
}

/** Returns the resource that a column refers to. Throws if its table must be scaffolded first. */
function targetOf(
  table: StoredTable,
  { column }: TableColumn,
  { tables, existing }: Schema,
): Target | 'self' | null {
  const key = referenceOf(table, column)
  const parent = tables.find(({ name }) => name === key?.target)
  if (!key || !parent || key.targetColumns.join() !== keyOf(parent).join()) return null
  if (parent === table) return 'self'
  const target = existing.targets.find(({ names }) => names.table === parent.name)
  if (target) return target
  if (refusalOf(parent, tables) !== null || leadsTo(parent, table, tables)) return null
  throw refused(
    `${table.name}.${column} refers to ${parent.name}. Scaffold it first: npx cli scaffold --from-table ${parent.name}`,
  )
}

/** Returns why the type of a column can't change. */
const inUse = ({ name }: StoredTable, { column, usedBy }: TableColumn): string =>
  `The type of ${name}.${column} must change, which ${usedBy.join(' and ')} prevents: drop it first, and create it again after the command.`

export function tableNamed(name: string, tables: readonly StoredTable[]): StoredTable {
  const table = tables.find((one) => one.name === name)
  if (table) return table
  const names = tables.map((one) => one.name)
  throw refused(`The database has no table ${name}. ${choices(names, nearest(name, names))}`)
}

const refused = (sentence: string): Exit => new Exit(EXIT.conflict, `${sentence}\nNo files were written.`)
