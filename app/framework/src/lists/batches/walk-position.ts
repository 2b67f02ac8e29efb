import { z } from 'zod'
import { storedId } from '../../resource/record-id.ts'
import type { Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'

/** Returns a position as JSON, with the table and the id of the last returned row: `["posts",42]`. */
export const writePosition = ({ table }: Resource, id: RecordId): string => JSON.stringify([table, id])

/** Returns the id of a position. Throws if it is malformed, or if it belongs to another table. */
export function readPosition({ table, idKind }: Resource, position: string): RecordId {
  const read = z.tuple([z.literal(table), z.union([z.number(), z.string()])]).safeParse(parsed(position))
  const id = read.success ? storedId(idKind, read.data[1]) : null
  if (id !== null) return id
  throw new Error(
    `Not a position of a walk over ${table}: ${position.slice(0, 100)}. ` +
      'Pass the walk.position of a walk over this table, or null to begin.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
