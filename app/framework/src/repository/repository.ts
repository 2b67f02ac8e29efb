import type { AnyPolicy, AnyScope, PolicyContext } from '../policy/authorization-types.ts'
import { type VariantOf } from '../policy/scope.ts'
import { narrowing, ofTenant, registeredScope } from '../policy/narrowing.ts'
import { seenFields, type Seen } from '../policy/field-access.ts'
import { seenIds } from '../policy/seen-record.ts'
import type { Reads } from '../database/read-replica.ts'
import { declaredAt } from '../resource/declared-at.ts'
import { pageSizes, type PageSizes } from '../pagination/page-size.ts'
import type { Resource } from '../resource/resource.ts'
import type { SoftDeleted } from '../resource/managed-columns.ts'
import {
  type AuthorizedRestore,
  type AuthorizedWrites,
  authorizedWrites,
} from '../writes/authorized-writes.ts'
import { checkFinders, type Finders } from '../lists/finders.ts'
import { notReadBefore, unlessEmpty } from '../writes/bulk-writes.ts'
import { type MethodsOf, withMethods } from '../writes/record-feature.ts'
import { capOf } from '../lists/count-rows.ts'
import { type CheckedOrder, listOrder } from '../lists/list-order.ts'
import { listing } from '../lists/listing.ts'
import { allRows, listSource } from '../lists/list-source.ts'
import { acrossTenants } from './across-tenants.ts'
import { type ListingOf, listings, type SystemReads, type VisibleListing } from './listings.ts'
import { type PageSteps, pageSteps } from './page-steps.ts'
import type { RepositoryOptions, Unknown } from './repository-options.ts'
import { type SystemAccess, systemAccess } from './system-access.ts'

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
    readonly actions?: object
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
        seen: seenIds(ctx, resource),
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
