import type { Narrowing } from '../policy/narrowing.ts'
import type { Reads } from '../database/read-replica.ts'
import type { TrashFilter } from '../rows/statements.ts'
import type { SortKey } from '../pagination/keyset.ts'
import type { Resource } from '../resource/resource.ts'
import type { SoftDeleted } from '../resource/managed-columns.ts'
import type { InvalidCursorResponse } from '../lists/cursor-pages.ts'
import { type Finders, type FindersOf, withFinders } from '../lists/finders.ts'
import { type Listing, listing } from '../lists/listing.ts'
import { listSource, type ListView } from '../lists/list-source.ts'
import type { AcrossTenants } from './across-tenants.ts'

/** The lists of a repository, by its options. */
export type ListingOf<R extends Resource, Options> = NamedListing<R, Options> &
  (R extends SoftDeleted ? { withTrashed(): NamedListing<R, Options> } : unknown)

export interface SystemReads<R extends Resource, Options> {
  /**
   * Returns the same lists, read from a replica if one is configured: for exports. Don't write what they return back to
   * the database, because the rows may be older than those of the primary.
   */
  onReplica(): ListingOf<R, Options>
  /**
   * Returns `findAll` and `count` of all shards together, for tasks. Rows of several shards may have equal ids. The other
   * methods throw: call them in each shard, with `fromShard`. Throws in a request.
   */
  acrossTenants(): AcrossTenants<R>
}

export type VisibleListing<R extends Resource, Options> = ListingOf<R, Options> & {
  /** Returns the same lists, read from the primary although replicas are configured. */
  onPrimary(): ListingOf<R, Options>
}

type NamedListing<R extends Resource, Options> = Listing<R> & FindersOf<Options>

interface Listed<R extends Resource> {
  order: readonly SortKey[]
  finders: Finders<R>
  invalidCursor: InvalidCursorResponse | undefined
}

/** The rows and the fields that the caller of a list sees. */
interface View extends ListView {
  visible: Narrowing
  reads: Reads
}

/** Returns the lists of live rows. With `softDelete`, `withTrashed()` returns the lists that include the trash. */
export function listings<R extends Resource>(
  resource: R,
  { order, finders, invalidCursor }: Listed<R>,
  { visible, ...view }: View,
) {
  const lists = (which: TrashFilter, reads: Reads) => {
    const source = listSource(resource, visible, { ...view, which, reads, order })
    return withFinders(listing(source, invalidCursor), finders)
  }
  const read = (reads: Reads) => ({
    ...lists('live', reads),
    ...(resource.managed.softDelete && { withTrashed: () => lists('all', reads) }),
  })
  return { ...read(view.reads), ...(view.reads === 'replica' && { onPrimary: () => read('primary') }) }
}
