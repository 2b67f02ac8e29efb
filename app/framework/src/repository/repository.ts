import type { AnyPolicy, AnyScope, PolicyContext } from '../policy/authorization-types.ts'
import {
  narrowing,
  type Narrowing,
  ofTenant,
  registeredScope,
  type Scope,
  type VariantOf,
} from '../policy/scope.ts'
import { seenFields, type Seen } from '../policy/field-access.ts'
import type { Reads } from '../database/read-replica.ts'
import type { TrashFilter } from '../rows/statements.ts'
import { declaredAt } from '../resource/declared-at.ts'
import { pageSizes, type PageSizes } from '../pagination/page-size.ts'
import type { Resource } from '../resource/resource.ts'
import type { SoftDeleted } from '../resource/managed-columns.ts'
import {
  type AuthorizedRestore,
  type AuthorizedWrites,
  authorizedWrites,
  type WritingVerbs,
} from '../writes/authorized-writes.ts'
import { checkFinders, type Finders, type FindersOf, withFinders } from '../lists/finders.ts'
import { notReadBefore, unlessEmpty } from '../writes/bulk-writes.ts'
import type { Hooks } from '../writes/hooks.ts'
import { type MethodsOf, type RecordFeature, withMethods } from '../writes/record-feature.ts'
import { capOf, type CountMode } from '../lists/count-rows.ts'
import type { InvalidCursorResponse } from '../lists/cursor-pages.ts'
import { type CheckedOrder, listOrder } from '../lists/list-order.ts'
import { type Listing, listing } from '../lists/listing.ts'
import { allRows, listSource, type ListView } from '../lists/list-source.ts'
import { type AcrossTenants, acrossTenants } from './across-tenants.ts'
import { type PageSteps, pageSteps } from './page-steps.ts'
import { type SystemAccess, systemAccess } from './system-access.ts'

interface RepositoryOptions<R extends Resource> extends WritingVerbs<R> {
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
  /** Serves five JSON endpoints at this path, which must be below the application's `apiPrefix`. */
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

type Unknown<Options> = {
  readonly [Name in Exclude<keyof Options, keyof RepositoryOptions<Resource>>]: never
}

/** The lists of a repository, by its options. */
type ListingOf<R extends Resource, Options> = NamedListing<R, Options> &
  (R extends SoftDeleted ? { withTrashed(): NamedListing<R, Options> } : unknown)

interface SystemReads<R extends Resource, Options> {
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

type VisibleListing<R extends Resource, Options> = ListingOf<R, Options> & {
  /** Returns the same lists, read from the primary although replicas are configured. */
  onPrimary(): ListingOf<R, Options>
}

type NamedListing<R extends Resource, Options> = Listing<R> & FindersOf<Options>

/**
 * A declared repository. `visibleTo(ctx)` reads the rows that the caller sees; `insert`, `update` and `delete` write
 * what the policy allowed; `asSystem(why)` reads and writes without a policy.
 */
export type Repository<R extends Resource = Resource, Options = object> = AnyRecords<R, Options> &
  AuthorizedWrites<R> &
  PageSteps<R> &
  (R extends SoftDeleted ? AuthorizedRestore<R> : unknown) &
  MethodsOf<R, Options, 'methods'>

interface AnyRecords<R extends Resource, Options> {
  readonly resource: R
  readonly options: RepositoryOptions<R>
  /** The page sizes of its lists. */
  readonly pageSize: PageSizes
  /** The declaration, as `file:line`. */
  readonly declaredAt: string
  /** Returns the methods that list the rows this caller may see, such as `page`. A variant of the scope narrows the rows. */
  visibleTo(ctx: PolicyContext, ...variant: VariantOf<R>): VisibleListing<Seen<R>, Options>
  /**
   * Returns methods that read and write without policy and scope. `why` is a reason for reviewers, such as
   * `'nightly recount'`: the security manifest lists it. Throws if it is empty.
   */
  asSystem(why: string): SystemAccess<R, Options> & ListingOf<R, Options> & SystemReads<R, Options>
}

/** A repository of any resource, for lists of repositories. */
export interface AnyRepository {
  readonly resource: Resource
  readonly options: {
    readonly api?: `/${string}`
    readonly policy?: AnyPolicy
    readonly scope?: AnyScope
    readonly order?: string
    readonly primaryReads?: boolean
    readonly updatedBy?: readonly string[]
    readonly deletedBy?: readonly string[]
  }
  /** The declaration, as `file:line`, for messages. */
  readonly declaredAt: string
}

/**
 * Declares the repository of a resource: the only place that reads and writes its table. Returns a frozen value;
 * sends no query.
 *
 * Throws if the order is malformed or by a hidden column, if a `pageSize` is not a whole number
 * from 1 to 10,000, if `apiCount` is not a mode of counting, and if a finder has the name of a method. `webApplication` throws
 * if `api` is not below the application's `apiPrefix`.
 *
 * ```ts
 * export const posts = repository(Post, {
 *   api: '/api/posts', // serves five JSON endpoints
 *   policy: postPolicy,
 *   scope: postScope,
 *   order: '-created_at,title',
 * })
 * await posts.visibleTo(ctx).page(pageRequest(req)) // the caller's rows
 * await posts.update(record(req, Post, 'update'), changes) // after a decision
 * await posts.asSystem('nightly recount').update(7, changes) // without one
 * ```
 */
export function repository<R extends Resource, const Options extends RepositoryOptions<R>>(
  resource: R,
  options: Options & Unknown<Options> & CheckedOrder<R, Options> = {} as never,
): Repository<R, Options> {
  const order = listOrder(resource, options)
  const { finders = {}, features = [], apiCount } = options
  // The rows of a caller may lack fields: finders know their resource as `Seen<R>`.
  const lists = { order, finders: finders as Finders<R>, invalidCursor: options.cursorErrors?.pages }
  capOf(apiCount)
  const own = { ...systemAccess(resource, {}, ''), ...listing(listSource(resource, allRows(resource))) }
  const systemMethods = features.flatMap((feature) => feature.systemMethods ?? [])
  checkFinders(resource, finders, withMethods(own, resource, systemMethods))
  const { restore, ...writes } = authorizedWrites(resource, options)
  const methods = {
    resource,
    options,
    pageSize: pageSizes(options.pageSize),
    declaredAt: declaredAt(repository),
    visibleTo(ctx: PolicyContext, ...variant: VariantOf<R>) {
      return listings(resource, lists, {
        visible: narrowing(registeredScope(resource, ctx), { ctx, resource, variant }),
        tenant: ofTenant(ctx, resource),
        fields: seenFields(ctx, resource),
        reads: options.primaryReads === true ? 'primary' : 'replica',
      })
    },
    asSystem(why: string) {
      if (why.trim() === '')
        throw new Error(`${resource.name}: asSystem needs a reason, such as asSystem('nightly recount').`)
      const read = (reads: Reads) => listings(resource, lists, { visible: allRows(resource), reads })
      const methods = { ...read('primary'), ...systemAccess(resource, options, why) }
      return {
        ...methods,
        onReplica: () => read('anywhere'),
        acrossTenants: () => acrossTenants(resource, methods),
      }
    },
    ...writes,
    saveMany: async (drafts: Parameters<typeof writes.saveMany>[0]) =>
      unlessEmpty(notReadBefore(drafts), (rows) => writes.saveMany(rows)),
    ...(resource.managed.softDelete && { restore }),
  }
  const added = features.flatMap((feature) => feature.methods ?? [])
  const steps = pageSteps(methods)
  return Object.freeze(withMethods({ ...methods, ...steps }, resource, added)) as Repository<R, Options>
}

interface Listed<R extends Resource> {
  order: ReturnType<typeof listOrder>
  finders: Finders<R>
  invalidCursor: InvalidCursorResponse | undefined
}

/** The rows and the fields that the caller of a list sees. */
interface View extends ListView {
  visible: Narrowing
  reads: Reads
}

/** Returns the lists of live rows. With `softDelete`, `withTrashed()` returns the lists that include the trash. */
function listings<R extends Resource>(
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
