import type { Resource } from '../../resource/resource.ts'
import { describeColumns } from './key-checks.ts'
import type { KeyText } from './walk-key.ts'
import { outermostKey } from './key-limits.ts'
import type { Walk } from './batch-walk.ts'

/** The progress of a walk through a table or a file. */
export interface Progress {
  /** Rows that the walk has returned. */
  rows: number
  /** About which part is done, from 0 to 1; null if the key is not a number. */
  share: number | null
}

/** Estimates the progress from the smallest and the largest key of the table. Counts no rows. */
export async function progressOf<R extends Resource>(
  walk: Walk<R>,
  { rows, place }: { rows: number; place: KeyText | null },
): Promise<Progress> {
  if (!(await isNumeric(walk))) return { rows, share: null }
  if (walk.isOver) return { rows, share: 1 }
  if (place === null) return { rows, share: 0 }
  const [first, last] = await rangeOf(walk)
  const share = last > first ? (Number(place[0]) - first) / (last - first) : 1
  return { rows, share: Math.min(1, Math.max(0, share)) }
}

async function isNumeric<R extends Resource>({ resource, columns }: Walk<R>): Promise<boolean> {
  const [column] = await describeColumns(resource, columns)
  return columns.length === 1 && column?.isNumber === true
}

async function rangeOf<R extends Resource>({
  resource,
  columns,
  limits,
}: Walk<R>): Promise<[number, number]> {
  const [smallest, largest] = await Promise.all([
    outermostKey(resource, columns, 'asc'),
    outermostKey(resource, columns, 'desc'),
  ])
  const low = limits.start ?? limits.after ?? smallest
  const high = limits.until ?? largest
  return [
    Math.max(Number(low?.[0]), Number(smallest?.[0])),
    Math.min(Number(high?.[0]), Number(largest?.[0])),
  ]
}
