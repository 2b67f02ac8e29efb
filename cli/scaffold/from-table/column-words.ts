import { typeOfColumn } from '../../commands/db/types/type-of-column.ts'
import type { Target } from '../field-types/field-type.ts'
import { FIELD_TYPES } from '../field-types/field-types.ts'
import { reservedField } from '../read/reserved.ts'
import { type Adaptation, filled, renamed, unpadded, zoned } from './adaptations.ts'
import type { OtherColumn } from './from-options.ts'
import { isUnique, referenceOf, snakeName, type StoredTable, type TableColumn } from './stored-tables.ts'
import { type FieldOfColumn, typeOfField } from './type-of-field.ts'

/** The words for a column of a table: a field, or only a declaration in the type of the table. */
export interface ColumnWords {
  /** The field on the command line: `title:string{..255}`. */
  readonly token?: string
  /** The declaration in the type of the table: `fulltext` and `Generated<string>`. */
  readonly other?: OtherColumn
  readonly adaptations?: readonly Adaptation[]
  readonly notes?: readonly string[]
  readonly refusal?: string
}

interface Surroundings {
  /** The resource that the column refers to; null for another column. */
  readonly target: Target | 'self' | null
  /** Whether a row has a text of several lines, or of more than 255 characters. */
  readonly isLong: boolean
}

const SECRET = /(?:^|_)(?:password|passwd|secret|token|digest|hash|salt)(?:_|$)/
const MAINTAINED = /^(?:last_)?(?:updated?|modified|changed)(?:_(?:at|on|date|time))?$/

/** Returns the words for a column other than the key and the managed ones. */
export function columnWords(table: StoredTable, column: TableColumn, around: Surroundings): ColumnWords {
  const { column: name, nullable, has_default, is_generated } = column
  const { target, isLong } = around
  const snake = snakeName(column)
  const short = target ? snake.replace(/(.)_id$/, '$1') : snake
  const wanted = target ? `${short}_id` : snake
  const field = target ? reference(table, column, { target, short }) : typeOfField(table, column, isLong)
  const place = `${table.name}.${name}`
  const isReserved =
    field !== null && reservedField({ name: short, column: wanted }, filterOf(field)) !== null
  const isLeftOut = field === null || isReserved || is_generated || isMaintained(column)
  const usual = field === null || target ? undefined : defaultOf(column, field)
  const isPrivate = SECRET.test(snake)
  const isSet = nullable || is_generated || (isLeftOut ? has_default : !isPrivate || usual !== undefined)
  if (!isSet) return { refusal: needsValue(place, column, { hasType: field !== null, isPrivate }) }
  const named = renamed(table, name, wanted)
  if (isLeftOut)
    return {
      other: { name: wanted, type: declaredType(column) },
      adaptations: named,
      notes: isMaintained(column)
        ? []
        : [`${place} (${column.sqlType}) has no field: pages don't show it, and it keeps its value.`],
    }
  const canBeUnique = usual === undefined && typeNamed(field)?.rejects?.unique === undefined
  const modifiers = [
    nullable && field.type !== 'boolean' ? '?' : '',
    canBeUnique && isUnique(table, name) ? '^' : '',
    isPrivate ? ':private' : '',
    usual === undefined ? '' : `=${usual}`,
  ]
  return {
    token: `${short}:${field.type}${field.limits}${modifiers.join('')}`,
    notes: notesOf(table, column, { field, isReference: target !== null }),
    adaptations: [
      ...named,
      ...(field.type === 'boolean' ? filled(table, column, { column: wanted, value: usual ?? 'false' }) : []),
      ...(field.type === 'datetime' ? zoned(table, column, wanted) : []),
      ...unpadded(table, column, wanted),
    ],
  }
}

function needsValue(
  place: string,
  { sqlType }: TableColumn,
  { hasType, isPrivate }: { hasType: boolean; isPrivate: boolean },
): string {
  const named = isPrivate ? 'is a secret, which no form shows' : 'has a name that no field can have'
  const reason = hasType ? named : `has the type ${sqlType}, which no field has`
  return `${place} ${reason}, and it needs a value: let it be null, or give it a default.`
}

function notesOf(
  table: StoredTable,
  { column }: TableColumn,
  { field, isReference }: { field: FieldOfColumn; isReference: boolean },
): string[] {
  const { name } = table
  const target = isReference ? null : referenceOf(table, column)?.target
  const plain =
    `${name}.${column} is of type ${field.type}, not a reference: ${target} is not a resource yet, or this is not its id. ` +
    `If ${name} is empty, remove its seed from app/resources.ts.`
  return [
    ...(target ? [plain] : []),
    ...field.unknown.map((check) => `The form of ${name} does not know this constraint: ${check}`),
  ]
}

const typeNamed = ({ type }: FieldOfColumn) => FIELD_TYPES.find(({ name }) => name === type)

function filterOf(field: FieldOfColumn): { isFilter: boolean } {
  const filter = typeNamed(field)?.filter
  return { isFilter: filter !== undefined && filter.range === undefined }
}

/** Columns that the database sets: sequences, generated ids, and the times of changes. */
const isMaintained = ({ column, base, isCounted, expression }: TableColumn): boolean =>
  isCounted ||
  (expression !== null && (base === 'uuid' || (base.startsWith('timestamp') && MAINTAINED.test(column))))

function reference(
  table: StoredTable,
  { column, nullable }: TableColumn,
  { target, short }: { target: Target | 'self'; short: string },
): FieldOfColumn {
  const model = target === 'self' ? 'self' : target.names.file.replaceAll('-', '_')
  const { onDelete } = referenceOf(table, column) ?? {}
  const limits = onDelete === 'c' ? '{cascade}' : onDelete === 'n' && nullable ? '{null}' : ''
  return { type: model === short ? 'references' : `references:${model}`, limits, unknown: [] }
}

/** Returns the default as on the command line; undefined without one that is a constant. */
function defaultOf({ expression }: TableColumn, { type }: FieldOfColumn): string | undefined {
  if (expression === null || ['json', 'uuid', 'datetime', 'time'].includes(type)) return undefined
  const [, text, other] =
    /^(?:'((?:[^']|'')+)'(?:::.*)?|\(?(-?[\d.]+|true|false)\)?(?:::.*)?)$/.exec(expression) ?? []
  return text?.replaceAll("''", "'") ?? other
}

function declaredType(column: TableColumn): string {
  const type = `${typeOfColumn(column)}${column.nullable ? ' | null' : ''}`
  if (column.is_generated) return `GeneratedAlways<${type}>`
  return column.has_default ? `Generated<${type}>` : type
}
