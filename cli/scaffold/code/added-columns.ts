import { typeCode } from '../arrays/array-code.ts'
import { altered, migrationFile } from './migration-file.ts'
import { literal } from './snippets.ts'
import { exampleValue } from './examples.ts'
import { indexesOf, indexStep, searchSteps } from './list-indexes.ts'
import { checkOf, columnOf, uniqueIndex, uniqueOf } from './migration-code.ts'
import { foreignKeyOf } from '../tenants/foreign-key.ts'
import type { Field } from '../field-types/field-type.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { columnFields, dropJoins, joinSteps } from '../many/join-code.ts'

/** Returns the migration that adds these columns to a table, and fills them in existing rows. */
export function addedColumns(path: string, model: Model, fields: readonly Field[]): Promise<GeneratedFile> {
  const { names } = model
  const columns = columnFields(fields)
  const up = [
    ...columns.flatMap((field) => added(model, field)),
    ...columns.flatMap((field) => constraints(model, field)),
    ...indexesOf(model, columns).map((index) => indexStep(model, index)),
    ...searchSteps(model, columns),
    ...joinSteps(model, fields),
  ]
  const dropped = columns.map(({ column }) => altered(names.table, `dropColumn('${column}')`)).toReversed()
  const down = [...dropJoins(model, fields), ...dropped]
  return migrationFile(path, { up, down })
}

function added(model: Model, field: Field): string[] {
  const { table } = model.names
  const { column } = field
  const { type, modifiers } = columnOf(field, model.tenant)
  const filling = needsFilling(field)
  const all = filling
    ? `${modifiers}.defaultTo(${field.type.valueOfExistingRows ?? literal(exampleValue(field, 1))})`
    : modifiers
  return [
    ...(filling ? ['// Existing rows need a value too: choose it here.'] : []),
    altered(table, `addColumn('${column}', ${typeCode(type)}${all && `, (column) => column${all}`})`),
    ...(filling ? [altered(table, `alterColumn('${column}', (column) => column.dropDefault())`)] : []),
  ]
}

/** They may need other new columns. */
function constraints(model: Model, field: Field): string[] {
  const { table } = model.names
  const [foreignKey, check] = [foreignKeyOf(model, field), checkOf(table, field)]
  return [
    ...(foreignKey === null ? [] : [foreignKey]),
    ...(field.unique ? [uniqueStep(model, field)] : []),
    ...(check ? [altered(table, `addCheckConstraint('${check.name}', sql\`${check.check}\`)`)] : []),
  ]
}

/** Returns the statement that makes a column unique. */
export function uniqueStep(model: Model, field: Field): string {
  const { table } = model.names
  const unique = uniqueOf(model, field)
  return model.softDelete
    ? uniqueIndex(table, unique)
    : altered(table, `addUniqueConstraint('${unique.name}', [${unique.columns}])`)
}

const needsFilling = ({ nullable, default: value, computed }: Field): boolean =>
  !nullable && value === undefined && !computed
