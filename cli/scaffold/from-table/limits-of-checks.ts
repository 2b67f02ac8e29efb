import type { StoredTable, TableColumn } from './stored-tables.ts'

/** What the check constraints of a column say about its values. */
export interface CheckedLimits {
  readonly min?: number
  readonly max?: number
  /** The constraints that no limit of a field expresses. */
  readonly unknown: readonly string[]
}

/** One comparison: `(length >= 0)`, `(amount > (0)::numeric)`, `(char_length((title)::text) <= 200)`. */
const COMPARISON =
  /\(*(?:char_length\()?\(*"?\w+"?\)*(?:::\w+)?\)* (>=|<=|>|<) \(?'?(-?\d+(?:\.\d+)?)'?\)?(?:::[a-z ]+)?\)*/g

/** Returns the limits of a column. `smallest` is the difference between two of its values. */
export function limitsOfChecks(table: StoredTable, column: TableColumn, smallest: number): CheckedLimits {
  const own = table.constraints.filter(
    ({ type, columns }) => type === 'c' && columns.length === 1 && columns[0] === column.column,
  )
  const checks = [...own.map(({ definition }) => definition), ...column.domainChecks]
  const [ranges, others] = [checks.filter(isRange), checks.filter((check) => !isRange(check))]
  const bounds = ranges
    .flatMap((check) => [...check.matchAll(COMPARISON)])
    .map(([, sign = '', text]) => ({
      isMin: sign.startsWith('>'),
      value: Number(text) + (sign === '>' ? smallest : sign === '<' ? -smallest : 0),
    }))
  const mins = bounds.flatMap(({ isMin, value }) => (isMin ? value : []))
  const maxs = bounds.flatMap(({ isMin, value }) => (isMin ? [] : value))
  return {
    ...(mins.length > 0 && { min: Math.max(...mins) }),
    ...(maxs.length > 0 && { max: Math.min(...maxs) }),
    unknown: others.filter(() => column.values === null),
  }
}

/** Returns whether a check consists of comparisons with numbers only. */
const isRange = (check: string): boolean =>
  /^CHECK[()\s]*(?:AND[()\s]*)*$/.test(check.replaceAll(COMPARISON, '')) && check.match(COMPARISON) !== null
