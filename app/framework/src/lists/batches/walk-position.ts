import { z } from 'zod'
import type { Resource } from '../../resource/resource.ts'
import type { KeyText } from './walk-key.ts'

/** `["posts",["id","42"]]`: the table, and the columns with the last returned key. */
export const writePosition = ({ table }: Resource, columns: readonly string[], key: KeyText): string =>
  JSON.stringify([table, ...columns.map((column, place) => [column, key[place]])])

/** Reads the key of a position. Throws if it is malformed, or if it belongs to another table or another order. */
export function readPosition({ table }: Resource, columns: readonly string[], position: string): KeyText {
  const pairs = columns.map((column) => z.tuple([z.literal(column), z.string()]))
  const read = z.tuple([z.literal(table), ...pairs]).safeParse(parsed(position))
  if (read.success) return (read.data.slice(1) as [string, string][]).map(([, value]) => value)
  throw new Error(
    `Not a position of a walk over ${table} by ${columns.join(', ')}: ${position.slice(0, 100)}. ` +
      'Pass the walk.position of a walk in the same order, or null to begin.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
