import { z } from 'zod'
import type { Resource } from '../../resource/resource.ts'
import type { KeyText } from './walk-key.ts'

/** `["posts",["id","42"]]`: what was walked, by which columns, and the last key that was handed out. */
export const writePosition = ({ table }: Resource, columns: readonly string[], key: KeyText): string =>
  JSON.stringify([table, ...columns.map((column, place) => [column, key[place]])])

/** Throws for what is malformed, and for the position of a walk over something else or in another order. */
export function readPosition({ table }: Resource, columns: readonly string[], position: string): KeyText {
  const pairs = columns.map((column) => z.tuple([z.literal(column), z.string()]))
  const read = z.tuple([z.literal(table), ...pairs]).safeParse(parsed(position))
  if (read.success) return (read.data.slice(1) as [string, string][]).map(([, value]) => value)
  throw new Error(
    `This is no position of a walk over ${table} by ${columns.join(', ')}: ${position.slice(0, 100)}. ` +
      'Pass what walk.position was, to a walk in the same order, or null to begin.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
