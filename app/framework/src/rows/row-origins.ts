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
  /** Set for a row that an equal request wrote: the policy has to decide whether the caller may see it. */
  readonly isRepeated?: true
}

/** The key of a row's origin. It isn't enumerable, so that copies of the row don't have it. */
const ORIGIN = Symbol('origin')

interface Marked {
  readonly [ORIGIN]?: { readonly row: object; readonly origin: Origin }
}

/**
 * Stores the origin of a row. Call it before the row is frozen. A WeakMap would take longer than everything else that is
 * done with a row.
 */
export function setOrigin(row: object, origin: Origin): void {
  Object.defineProperty(row, ORIGIN, { value: { row, origin } })
}

/** Returns the origin of a row; undefined for a copy, a proxy, an heir of a row and for other objects. */
export function rowOrigin(row: object): Origin | undefined {
  const mark = (row as Marked)[ORIGIN]
  return mark?.row === row ? mark.origin : undefined
}
