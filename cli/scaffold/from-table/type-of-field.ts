import { type LimitKind, limitsOfChecks } from './limits-of-checks.ts'
import { isUnique, type StoredTable, type TableColumn } from './stored-tables.ts'

/** The type of a field on the command line: `decimal` and `{5,2}{0..100}`. */
export interface FieldOfColumn {
  readonly type: string
  readonly limits: string
  readonly unknown: readonly string[]
}

/** Names of columns whose texts have several lines, although a database without rows doesn't show it. */
const LONG =
  /(?:^|_)(?:abstract|bio|body|comments?|content|description|details|html|memo|message|notes?|remarks?|summary|text)$/

/** Returns the type of field for a column; null if no field has such values. `isLong` is whether a row has a long text. */
export function typeOfField(table: StoredTable, column: TableColumn, isLong: boolean): FieldOfColumn | null {
  const { base, values } = column
  if (values !== null) return enumOf(values)
  if (/^(?:smallint|integer|bigint)$/.test(base)) {
    // A bigint of this name is read as a number.
    const type = base === 'bigint' && !/(?:^|_)id$/.test(column.column) ? 'bigint' : 'integer'
    const range = base === 'smallint' ? { min: -32_768, max: 32_767 } : {}
    return limited(table, column, { type, of: 'value', scale: 0, ...range })
  }
  const [isNumeric, digits = 38, scale = 10] = /^numeric(?:\((\d+),(\d+)\))?$/.exec(base) ?? []
  if (isNumeric !== undefined) {
    const size = `{${digits},${scale}}`
    return limited(table, column, {
      type: 'decimal',
      of: 'value',
      scale: Number(scale),
      isOpen: base === 'numeric',
      size,
    })
  }
  if (base === 'real' || base === 'double precision')
    return limited(table, column, { type: 'float', of: 'value', scale: 10, isOpen: true })
  if (/^(?:character|text|citext)/.test(base) && !base.endsWith(']')) {
    const kind = { of: 'length', scale: 0 } as const
    const declared = Number(/^character(?: varying)?\((\d+)\)$/.exec(base)?.[1] ?? Number.POSITIVE_INFINITY)
    const length = Math.min(declared, limitsOfChecks(table, column, kind).max ?? declared)
    const isShort = length <= 500 || (length === Number.POSITIVE_INFINITY && !LONG.test(column.column))
    const type = !isLong && (isShort || isUnique(table, column.column)) ? 'string' : 'text'
    return limited(table, column, { type, ...kind, max: length })
  }
  const simple = SIMPLE.find(([pattern]) => pattern.test(base))
  return simple ? limited(table, column, { type: simple[1], of: null, scale: 0 }) : null
}

const SIMPLE: readonly (readonly [RegExp, string])[] = [
  [/^boolean$/, 'boolean'],
  [/^date$/, 'date'],
  [/^time(?:\(\d\))? without time zone$/, 'time'],
  [/^timestamp(?:\(\d\))? with(?:out)? time zone$/, 'datetime'],
  [/^uuid$/, 'uuid'],
  [/^jsonb?$/, 'json'],
]

/** An enum has several values, which begin with a letter and have no spaces. */
const enumOf = (values: readonly string[]): FieldOfColumn | null =>
  values.length > 1 && values.every((value) => /^[a-z][\w-]{0,59}$/i.test(value))
    ? { type: 'enum', limits: `{${values.join(',')}}`, unknown: [] }
    : null

interface Size extends LimitKind {
  readonly type: string
  readonly size?: string
  readonly min?: number
  readonly max?: number
}

function limited(table: StoredTable, column: TableColumn, own: Size): FieldOfColumn {
  const { unknown, ...checked } = limitsOfChecks(table, column, own)
  const min = Math.max(own.min ?? Number.NEGATIVE_INFINITY, checked.min ?? Number.NEGATIVE_INFINITY)
  const max = Math.min(own.max ?? Number.POSITIVE_INFINITY, checked.max ?? Number.POSITIVE_INFINITY)
  const [least, most] = [min, max].map((limit) => (Number.isFinite(limit) ? String(limit) : ''))
  return { type: own.type, limits: (own.size ?? '') + (least || most ? `{${least}..${most}}` : ''), unknown }
}
