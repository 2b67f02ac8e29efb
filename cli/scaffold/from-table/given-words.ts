import { FIELD_TYPES } from '../field-types/field-types.ts'
import { fieldNameIn } from '../read/names.ts'
import type { ScaffoldArguments } from '../read/options.ts'
import { keyColumn, type StoredTable, type TableColumn } from './stored-tables.ts'
import { typeOfField } from './type-of-field.ts'

/** Returns why a field of the command line can't have a column; null if it can. */
export function misfit(
  table: StoredTable,
  column: TableColumn,
  { token, isLong }: { token: string; isLong: boolean },
): string | null {
  const { base, sqlType, is_array } = column
  const word = /^[^:]+:(\w+)/.exec(token)?.[1]
  const type = FIELD_TYPES.find(({ name }) => name === word) ?? FIELD_TYPES[0]
  const fits =
    type.name === typeOfField(table, column, isLong)?.type ||
    (/^(?:character|text|citext)/.test(base) && !is_array && type.sqlType === undefined && !type.isList) ||
    (/^(?:smallint|integer|bigint|uuid)$/.test(base) && type.isReference && !type.isList)
  return fits
    ? null
    : `${token} does not fit ${table.name}.${column.column}, whose type is ${sqlType}: leave the field out, or change the type of the column first.`
}

/** Returns a sentence for each field and option of the command line that the table has no column for. */
export function missingColumns(
  table: StoredTable,
  { name: model, fields, options }: ScaffoldArguments,
  isManaged: (column: string) => boolean,
): string[] {
  const { name } = table
  const key = keyColumn(table)?.base === 'uuid' ? 'uuid' : 'bigint'
  const lacks = (column: string, option: string) =>
    `${name} has no column ${column} that --${option} can use: add it first, or leave the option out.`
  return [
    ...fields.map(
      (token) =>
        `${name} has no column for ${token}. Scaffold without it, and add it with a second command: npx cli scaffold ${model} ${fieldNameIn(token)}:type`,
    ),
    ...(options.softDelete && !isManaged('deleted_at') ? [lacks('deleted_at', 'soft-delete')] : []),
    ...(options.version && !isManaged('version') ? [lacks('version', 'version')] : []),
    ...((options.id ?? key) === key ? [] : [`The ids of ${name} are of another type: leave --id out.`]),
  ]
}
