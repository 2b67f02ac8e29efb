import type { Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import type { Walk } from './batch-walk.ts'

/** The progress of a walk through a table or a file. */
export interface Progress {
  /** Rows that the walk has returned. */
  rows: number
  /** The estimated completed share, from 0 to 1; null if the ids are UUIDs. */
  share: number | null
}

/** Estimates the progress from the smallest and the largest id of the table. Counts no rows. */
export async function progressOf<R extends Resource>(
  walk: Walk<R>,
  { rows, place }: { rows: number; place: RecordId | null },
): Promise<Progress> {
  if (walk.resource.idKind === 'uuid') return { rows, share: null }
  if (walk.isOver) return { rows, share: 1 }
  if (place === null) return { rows, share: 0 }
  const [first, last] = await Promise.all([walk.outermostId('asc'), walk.outermostId('desc')])
  return { rows, share: shareOf(Number(place), Number(first), Number(last)) }
}

function shareOf(place: number, first: number, last: number): number {
  const share = last > first ? (place - first) / (last - first) : 1
  return Math.min(1, Math.max(0, share))
}
