import type { StoredTable, TableColumn } from './stored-tables.ts'

/** The limits that the check constraints of a column set for its values. */
export interface CheckedLimits {
  readonly min?: number
  readonly max?: number
  /** The constraints that no limit of a field expresses. */
  readonly unknown: readonly string[]
}

/** The limits that a type of field has. */
export interface LimitKind {
  /** Whether they limit the value or its length; null if the type has none. */
  readonly of: 'value' | 'length' | null
  /** The number of decimals. */
  readonly scale: number
  /** Whether the values have any number of decimals, so that `> 0` has no smallest value. */
  readonly isOpen?: boolean
}

const BOUND = String.raw`\)* (>=|<=|>|<) \(?'?(-?\d+(?:\.\d+)?)'?\)?(?:::[a-z ]+)?\)*`

/** One comparison: `(amount > (0)::numeric)` and `(char_length((title)::text) <= 200)`. */
const COMPARISONS = {
  value: new RegExp(String.raw`\(*"?\w+"?\)*(?:::\w+)?${BOUND}`, 'g'),
  length: new RegExp(String.raw`\(*(?:char_|character_)?length\(\(*"?\w+"?\)*(?:::\w+)?${BOUND}`, 'g'),
}

interface Bound {
  readonly isMin: boolean
  readonly value: number
}

/** Returns the limits of a column. */
export function limitsOfChecks(table: StoredTable, column: TableColumn, kind: LimitKind): CheckedLimits {
  const own = table.constraints.filter(
    ({ type, columns }) => type === 'c' && columns.length === 1 && columns[0] === column.column,
  )
  const checks = [...own.map(({ definition }) => definition), ...column.domainChecks]
  const bounds = checks.flatMap((check) => boundsOf(check, kind) ?? [])
  const mins = bounds.flatMap(({ isMin, value }) => (isMin ? value : []))
  const maxs = bounds.flatMap(({ isMin, value }) => (isMin ? [] : value))
  return {
    ...(mins.length > 0 && { min: Math.max(...mins) }),
    ...(maxs.length > 0 && { max: Math.min(...maxs) }),
    unknown: checks.filter((check) => column.values === null && boundsOf(check, kind) === null),
  }
}

/** Returns the bounds of a check that consists of comparisons with numbers; null if a field can't have them. */
function boundsOf(check: string, { of, scale, isOpen = false }: LimitKind): Bound[] | null {
  if (of === null || !/^CHECK[()\s]*(?:AND[()\s]*)*$/.test(check.replaceAll(COMPARISONS[of], ''))) return null
  const comparisons = [...check.matchAll(COMPARISONS[of])]
  const bounds = comparisons.map(([, sign = '', text = '']) => {
    const step = sign === '>' ? 10 ** -scale : sign === '<' ? -(10 ** -scale) : 0
    const isExact = (text.split('.')[1] ?? '').length <= scale && !(isOpen && step !== 0)
    return {
      isMin: sign.startsWith('>'),
      value: isExact ? Number((Number(text) + step).toFixed(scale)) : Number.NaN,
    }
  })
  // The command line has no exponents.
  const areWritable = bounds.every(
    ({ value }) => Math.abs(value) <= Number.MAX_SAFE_INTEGER && !String(value).includes('e'),
  )
  return bounds.length > 0 && areWritable ? bounds : null
}
