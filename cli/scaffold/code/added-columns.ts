import { kyselyImport, literal, quoted } from './snippets.ts'
import { exampleValue } from './examples.ts'
import { indexSteps, searchSteps } from './list-indexes.ts'
import { checkOf, columnOf, uniqueIndex, uniqueOf } from './migration-code.ts'
import type { Field } from '../field-types/field-type.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { formatted } from './render-template.ts'

/** Returns the migration that adds these columns to a table, and fills them in existing rows. */
export function addedColumns(path: string, model: Model, fields: readonly Field[]): Promise<GeneratedFile> {
  const { names, softDelete } = model
  const up = [
    ...fields.flatMap((field) => added(names.table, field, softDelete)),
    ...indexSteps(model, fields),
    ...searchSteps(model, fields),
  ]
  const down = fields.map(({ column }) => altered(names.table, `dropColumn('${column}')`)).toReversed()
  const text = [
    kyselyImport(up.join('')),
    '',
    'export async function up(db: Kysely<never>): Promise<void> {',
    ...up,
    '}',
    '',
    'export async function down(db: Kysely<never>): Promise<void> {',
    ...down,
    '}',
    '',
  ].join('\n')
  return formatted({ path, text })
}

function added(table: string, field: Field, softDelete: boolean): string[] {
  const { column, unique } = field
  const { type, modifiers } = columnOf(field)
  const filling = needsFilling(field)
  const all = filling
    ? `${modifiers}.defaultTo(${field.type.valueOfExistingRows ?? literal(exampleValue(field, 1))})`
    : modifiers
  const check = checkOf(table, field)
  return [
    ...(filling ? ['// Existing rows need a value too: choose it here.'] : []),
    altered(table, `addColumn('${column}', ${typeCode(type)}${all && `, (column) => column${all}`})`),
    ...(filling ? [altered(table, `alterColumn('${column}', (column) => column.dropDefault())`)] : []),
    ...(unique ? [uniqueStep(table, column, softDelete)] : []),
    ...(check ? [altered(table, `addCheckConstraint('${check.name}', sql\`${check.check}\`)`)] : []),
  ]
}

function uniqueStep(table: string, column: string, softDelete: boolean): string {
  const unique = uniqueOf(table, column)
  return softDelete
    ? uniqueIndex(table, unique)
    : altered(table, `addUniqueConstraint('${unique.name}', ['${column}'])`)
}

const altered = (table: string, step: string): string =>
  `await db.schema.alterTable('${table}').${step}.execute()`

const typeCode = (type: string): string => (type.includes('`') ? type : quoted(type))

const needsFilling = ({ nullable, default: value }: Field): boolean => !nullable && value === undefined
