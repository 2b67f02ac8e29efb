import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'

export interface Origin {
  readonly resource: Resource
  readonly id: RecordId
  readonly version: string
  /** The row with all its fields, if this one lacks those that the caller doesn't see. */
  readonly complete?: object
  /** Set for a row in place of a missing one: see `standIn`. */
  readonly isMissing?: true
}

/** By the row: no other code can forge an origin, and copies of a row don't have it. */
const origins = new WeakMap<object, Origin>()

/** Stores the origin of a row. */
export function setOrigin(row: object, origin: Origin): void {
  origins.set(row, origin)
}

/** Returns the origin of a row; undefined for a copy and for other objects. */
export const rowOrigin = (row: object): Origin | undefined => origins.get(row)
