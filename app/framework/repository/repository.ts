import type { PolicyContext } from '../authorization/policy-context.ts'
import type { AnyPolicy } from '../authorization/policy.ts'
import {
  type AnyScope,
  narrowing,
  registeredScope,
  type Scope,
  type VariantOf,
} from '../authorization/scope.ts'
import { loadRow } from '../database/rows.ts'
import { declaredAt } from '../resource/declared-at.ts'
import type { SortKey } from '../pagination/keyset.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { type DecidedWrites, decidedWrites, type WritingVerbs } from './decided-writes.ts'
import { type CursorOptions, declaredKeys } from './cursor-keys.ts'
import { listing, type ListingOf } from './listing.ts'
import { type SystemAccess, systemAccess } from './system-access.ts'

export interface RepositoryOptions<R extends Resource> extends WritingVerbs<R>, CursorOptions<R> {
  /** Mounts the five JSON endpoints below this path. */
  api?: `/api/${string}`
  policy?: AnyPolicy & { readonly resource: R }
  scope?: Scope<R>
}

/** Where the records of a resource are stored. Alone it finds by key and writes what was decided on. */
export interface Repository<R extends Resource = Resource, Options = object> extends DecidedWrites<R> {
  readonly resource: R
  readonly options: RepositoryOptions<R>
  readonly declaredAt: string
  /** By primary key, whoever asks: decide with `authorizeRecord` before showing it. Null when there is none. */
  find(id: number): Promise<RowOf<R> | null>
  /** Lists, pages and counts what the scope lets this caller see, or what one of its variants leaves of it. */
  visibleTo(ctx: PolicyContext, ...variant: VariantOf<R>): ListingOf<R, Options>
  /** Everything, without policy and scope. `why` is for who reviews it: say it in a few words. */
  asSystem(why: string): SystemAccess<R> & ListingOf<R, Options>
}

/** A repository of whichever resource, for lists of them. */
export interface AnyRepository {
  readonly resource: Resource
  readonly options: {
    readonly api?: `/api/${string}`
    readonly policy?: AnyPolicy
    readonly scope?: AnyScope
    readonly cursorKey?: string
    readonly keys?: readonly SortKey[]
  }
  /** Where it is declared, as `file:line`, for messages. */
  readonly declaredAt: string
}

export function repository<R extends Resource, const Options extends RepositoryOptions<R>>(
  resource: R,
  options: Options = {} as Options,
): Repository<R, Options> {
  declaredKeys(resource, options)
  return Object.freeze({
    resource,
    options,
    declaredAt: declaredAt(repository),
    find: (id: number) => loadRow(resource, id),
    visibleTo(ctx: PolicyContext, ...variant: VariantOf<R>) {
      const visible = narrowing(registeredScope(resource, ctx), { ctx, resource, variant })
      return listing(resource, visible, options)
    },
    asSystem(why: string) {
      if (why.trim() === '')
        throw new Error(`${resource.name}: say why the system may do this: asSystem('nightly recount').`)
      return systemAccess(resource, options)
    },
    ...decidedWrites(resource, options),
  })
}
