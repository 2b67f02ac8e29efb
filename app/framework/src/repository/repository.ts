import type { PolicyContext } from '../authorization/policy-context.ts'
import type { AnyPolicy } from '../authorization/policy.ts'
import {
  type AnyScope,
  type Narrowing,
  narrowing,
  registeredScope,
  type Scope,
  type VariantOf,
} from '../authorization/scope.ts'
import { loadRow } from '../database/rows.ts'
import type { Which } from '../database/statements.ts'
import { declaredAt } from '../resource/declared-at.ts'
import type { SortKey } from '../pagination/keyset.ts'
import type { IdOf, Resource, RowOf } from '../resource/resource.ts'
import { keepUp, type UpkeepOptions } from '../resource/upkeep.ts'
import {
  type DecidedRestore,
  type DecidedWrites,
  decidedWrites,
  type WritingVerbs,
} from './decided-writes.ts'
import { checkFinders, type Finders, type FindersOf, withFinders } from './finders.ts'
import type { Hooks } from './hooks.ts'
import { type CursorOptions, type CursorOrder, cursorOrder } from './cursor-keys.ts'
import { type CursorPagesOf, type Listing, listing } from './listing.ts'
import { listSource } from './list-source.ts'
import { type SystemAccess, systemAccess } from './system-access.ts'

interface RepositoryOptions<R extends Resource> extends WritingVerbs<R>, UpkeepOptions<R>, CursorOptions<R> {
  /** Mounts the five JSON endpoints below this path. */
  api?: `/api/${string}`
  /** Who may ask it for records: with a policy, guests too, who get what scope and policy leave them; or `secured`. */
  apiReading?: 'public' | 'secured'
  policy?: AnyPolicy & { readonly resource: R }
  scope?: Scope<R>
  /** What is done whenever a row is written. */
  hooks?: Hooks<R>
  /** Lists with a name: `posts.visibleTo(ctx).byAuthor(7)`. They narrow what may be seen, and are in no API. */
  finders?: Finders<R> & { readonly [Name in keyof Listing<R>]?: never }
}

/** What a repository lists, by what it declares. */
type ListingOf<R extends Resource, Options> = NamedListing<R, Options> &
  (Options extends { softDelete: true } ? { withTrashed(): NamedListing<R, Options> } : unknown)

type NamedListing<R extends Resource, Options> = Listing<R> & CursorPagesOf<R, Options> & FindersOf<Options>

/** Where the records of a resource are stored. Alone it finds by key and writes what was decided on. */
export type Repository<R extends Resource = Resource, Options = object> = AnyRecords<R, Options> &
  DecidedWrites<R> &
  (Options extends { softDelete: true } ? Trash<R> : unknown)

interface AnyRecords<R extends Resource, Options> {
  readonly resource: R
  readonly options: RepositoryOptions<R>
  readonly declaredAt: string
  /** By primary key, whoever asks: decide with `authorizeRecord` before showing it. Null when there is none. */
  find(id: IdOf<R>): Promise<RowOf<R> | null>
  /** Lists, pages and counts what the scope lets this caller see, or what one of its variants leaves of it. */
  visibleTo(ctx: PolicyContext, ...variant: VariantOf<R>): ListingOf<R, Options>
  /** Everything, without policy and scope. `why` is for who reviews it: say it in a few words. */
  asSystem(why: string): SystemAccess<R, Options> & ListingOf<R, Options>
}

interface Trash<R extends Resource> extends DecidedRestore<R> {
  /** Finds what is in the trash too. */
  withTrashed(): { find(id: IdOf<R>): Promise<RowOf<R> | null> }
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
  keepUp(resource, options)
  const order = cursorOrder(resource, options)
  const { finders = {}, softDelete } = options
  const methods = {
    ...systemAccess(resource, { softDelete: true }),
    ...listing(listSource(resource, everyRow), order),
  }
  checkFinders(resource, finders, methods)
  const { restore, ...writes } = decidedWrites(resource, options)
  const withTrashed = () => ({ find: (id: IdOf<R>) => loadRow(resource, id, 'all') })
  return Object.freeze({
    resource,
    options,
    declaredAt: declaredAt(repository),
    find: (id: IdOf<R>) => loadRow(resource, id),
    visibleTo(ctx: PolicyContext, ...variant: VariantOf<R>) {
      const visible = narrowing(registeredScope(resource, ctx), { ctx, resource, variant })
      return listings(resource, { order, finders, softDelete }, visible)
    },
    asSystem(why: string) {
      if (why.trim() === '')
        throw new Error(`${resource.name}: say why the system may do this: asSystem('nightly recount').`)
      const lists = listings(resource, { order, finders, softDelete }, everyRow)
      return { ...lists, ...systemAccess(resource, options) }
    },
    ...writes,
    ...(softDelete === true && { restore, withTrashed }),
  }) as unknown as Repository<R, Options>
}

const everyRow: Narrowing = (is) => is.lit(true)

interface Listed<R extends Resource> {
  order: CursorOrder | null
  finders: Finders<R>
  softDelete: unknown
}

/** The lists of what is there, and where there is a trash, with what is in it. */
function listings<R extends Resource>(
  resource: R,
  { order, finders, softDelete }: Listed<R>,
  visible: Narrowing,
) {
  const lists = (which: Which) => withFinders(listing(listSource(resource, visible, which), order), finders)
  return { ...lists('live'), ...(softDelete === true && { withTrashed: () => lists('all') }) }
}
