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

/** A constructor that returns the object itself, so that a class adds its private fields to it. */
// oxlint-disable-next-line typescript/no-extraneous-class
class Itself {
  constructor(object: object) {
    // oxlint-disable-next-line no-constructor-return
    return object
  }
}

/**
 * A row with its origin in a private field: no other code can read or forge it, and copies of the row don't have it. A
 * WeakMap would take longer than everything else that is done with a row.
 */
class OriginalRow extends Itself {
  readonly #origin: Origin

  constructor(row: object, origin: Origin) {
    super(row)
    this.#origin = origin
  }

  static originOf(row: object): Origin | undefined {
    return #origin in row ? row.#origin : undefined
  }
}

/** Stores the origin of a row, which must have none. Call it before the row is frozen. */
export function setOrigin(row: object, origin: Origin): void {
  // oxlint-disable-next-line no-new
  new OriginalRow(row, origin)
}

/** Returns the origin of a row; undefined for a copy and for other objects. */
export const rowOrigin = (row: object): Origin | undefined => OriginalRow.originOf(row)
