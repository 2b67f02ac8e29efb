import type { AnyPolicy } from '../policy/authorization-types.ts'
import type { Scope } from '../policy/scope.ts'
import type { Seen } from '../policy/field-access.ts'
import type { PageSizes } from '../pagination/page-size.ts'
import type { Resource } from '../resource/resource.ts'
import type { WritingVerbs } from '../writes/authorized-writes.ts'
import type { Hooks } from '../writes/hooks.ts'
import type { RecordFeature } from '../writes/record-feature.ts'
import type { CountMode } from '../lists/count-rows.ts'
import type { InvalidCursorResponse } from '../lists/cursor-pages.ts'
import type { Finders } from '../lists/finders.ts'
import type { Listing } from '../lists/listing.ts'

export interface RepositoryOptions<R extends Resource> extends WritingVerbs<R> {
  /**
   * The order of the lists of pages, cursor pages and the API, unless a request sorts them: `'-created_at,title'`, with
   * a minus for descending. The id follows as the last column. Defaults to `'-id'`. A column that may be null declares
   * where these rows are: `'due_at nulls last'`.
   */
  order?: string
  /**
   * The response to an invalid cursor. `refuse` responds with 400 and is the default of the API. `restart` shows the
   * first page and is the default of pages.
   */
  cursorErrors?: { readonly api?: InvalidCursorResponse; readonly pages?: InvalidCursorResponse }
  /**
   * Serves five JSON endpoints at this path, which must be below the application's `apiPrefix`. A parameter is a reference to
   * a parent, which the caller must be allowed to show: `/api/posts/:post_id/comments`.
   */
  api?: `/${string}`
  /**
   * Whether guests may read from the API. `public`, the default for a repository with a policy, shows them what scope
   * and policy allow; `secured` needs a session.
   */
  apiReading?: 'public' | 'secured'
  /**
   * How the API counts the rows of its pages. `'exact'`, the default, reads all rows of the list for each page: 90 ms
   * for a million rows. `{ cap: 1_000 }` reads up to 1,000, and then adds `total_is_capped`. With `'none'`, pages have
   * no `total_elements` and no `total_pages`. Cursor pages never count, except for a search.
   */
  apiCount?: CountMode
  /**
   * The default and the largest size of the pages: `{ default: 50, max: 200 }`. They default to 20 and 100. The API
   * uses them, and so do `pageRequest(req, posts)` and `cursorRequest(req, posts)`.
   */
  pageSize?: Partial<PageSizes>
  policy?: AnyPolicy & { readonly resource: R }
  scope?: Scope<R>
  /** The functions that each write of a row calls. */
  hooks?: Hooks<R>
  /** What takes part in each write, in its transaction: `[history]`. */
  features?: readonly RecordFeature[]
  /** Reads the lists of `visibleTo` and `scoped` from the primary, although replicas are configured. */
  primaryReads?: boolean
  /** Named lists: `posts.visibleTo(ctx).byAuthor(7)`. They can only narrow the list, and no API serves them. */
  finders?: Finders<Seen<R>> & { readonly [Name in keyof Listing<R>]?: never }
}

/** Rejects options that a repository does not have. */
export type Unknown<Options> = {
  readonly [Name in Exclude<keyof Options, keyof RepositoryOptions<Resource>>]: never
}
