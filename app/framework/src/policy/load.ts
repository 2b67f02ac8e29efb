import type { Request } from 'express'
import { loadRow } from '../rows/rows.ts'
import { NotFound } from '../http/errors.ts'
import { builtInGuard } from '../http/routes/routes.ts'
import { openedToken } from '../http/security/session-cookie.ts'
import type { Guard } from '../http/routes/route-types.ts'
import { readId, recordId, recordUuid } from '../resource/record-id.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { ColumnOf, RecordId } from '../resource/tables.ts'
import { standIn } from '../rows/stand-in.ts'
import { policyContext } from './policy-context.ts'
import { requestState } from './policy-state.ts'

/** The columns of a record, and the path parameters that determine them: `{ post_id: 'post' }`. */
export type Below = Readonly<Record<string, string>>

export interface LoadGuard extends Guard {
  readonly kind: 'load'
  readonly resource: Resource
  /** The path parameter with the id. */
  readonly param: string
  /** The name of the record. */
  readonly as: string
  /** The columns that must equal another path parameter. */
  readonly below: Below
  /** Also finds rows in the trash. */
  readonly withTrashed: boolean
}

interface LoadOptions<R extends Resource> {
  /** The path parameter with the id; defaults to `id`. */
  param?: string
  /** The name of the record, if a route loads two: `record(req, Post, 'show', { from: 'name' })`. */
  as?: string
  /** The parents in the path: with `{ post_id: 'post' }`, `post_id` must equal the path parameter `post`. */
  below?: { readonly [Column in ColumnOf<R['table']>]?: string }
  /** Also finds rows in the trash, for a route that restores them. */
  withTrashed?: boolean
}

/**
 * Returns a guard that loads the record whose id is in the path. It sends one query by primary key, without the scope:
 * the policy decides in the next guard. It throws `NotFound` if the row doesn't exist, if the id is malformed, and if the
 * record has another parent than the one in the path (`below`).
 *
 * `webApplication` throws if the path has no such parameter.
 *
 * ```ts
 * 'GET /posts/:post/comments/:id': [
 *   publicRoute(),
 *   load(Comment, { below: { post_id: 'post' } }),
 *   authorize('show', Comment),
 *   show,
 * ]
 * ```
 */
export function load<R extends Resource>(resource: R, options: LoadOptions<R> = {}): LoadGuard {
  const { param = 'id', as = recordName(resource), withTrashed = false } = options
  const below: Below = { ...options.below }
  const find = async (req: Request) => {
    const id = readId(resource.idKind, req.params[param])
    return id === null ? null : loadRow(resource, id, withTrashed ? 'all' : 'live')
  }
  /** Whether a later guard decides on the record, in all routes that have this one. */
  let isDecided: boolean | undefined
  const missing = async (req: Request) => {
    const id = readId(resource.idKind, req.params[param])
    if (id === null || isDecided !== true) throw new NotFound()
    return missingRow(req, resource, id)
  }
  return builtInGuard({
    kind: 'load',
    resource,
    param,
    as,
    below,
    withTrashed,
    // The row and the session are then read in one round trip.
    begin(req) {
      // The tenant of the caller is not known yet.
      if (openedToken(req) === null || resource.tenant !== null) return
      const loading = find(req)
      loading.catch(() => {})
      requestState(req).loading.set(as, loading)
    },
    async run(req) {
      const { loading, rows } = requestState(req)
      const found = await (loading.get(as) ?? find(req))
      const row = found !== null && isBelow(found, below, req) ? found : await missing(req)
      rows.set(as, { resource, row })
    },
    check(before, _app, path, after) {
      isDecided = isDecided !== false && after.some((guard) => decidesOn(guard, resource, as))
      if (before.some((guard) => guard.kind === 'load' && (guard as LoadGuard).as === as))
        throw new Error(`load(${resource.name}) replaces the record '${as}'. Pass another name: { as: '…' }.`)
      const missing = [param, ...Object.values(below)].find((name) => !path.split('/').includes(`:${name}`))
      if (missing !== undefined)
        throw new Error(`load(${resource.name}) looks for ':${missing}', which is not in the path.`)
    },
  })
}

/** The parts of `authorize` that name the record. */
interface Decides {
  readonly action: string
  readonly resource: Resource
  readonly from: string
}

/**
 * Throws unless the record is loaded before. For `create`, throws unless each parent is, so that a missing one is a 404
 * before the policy decides.
 */
export function checkLoads(
  before: readonly Guard[],
  { action, resource, from, below }: Decides & { below: Below },
): void {
  const guard = `authorize('${action}', ${resource.name})`
  const loads = before.filter(({ kind }) => kind === 'load') as LoadGuard[]
  const orphan = Object.entries(below).find(([, parent]) => !loads.some(({ param }) => param === parent))
  if (action !== 'create' && Object.keys(below).length > 0)
    throw new Error(`${guard} has 'below', which is for 'create'. Pass it to load(${resource.name}).`)
  if (orphan !== undefined)
    throw new Error(
      `${guard} needs ':${orphan[1]}' for ${orphan[0]}. Put a load with { param: '${orphan[1]}' } before it.`,
    )
  if (action !== 'create' && !loads.some((load) => load.resource === resource && load.as === from))
    throw new Error(`${guard} has no record. Put load(${resource.name}) before it.`)
}

function decidesOn(guard: Guard, resource: Resource, as: string): boolean {
  const { kind, action, resource: decided, from } = guard as Guard & Partial<Decides>
  return kind === 'authorize' && action !== 'create' && decided === resource && from === as
}

function isBelow(row: object, below: Below, req: Request): boolean {
  const columns = row as Readonly<Record<string, unknown>>
  return Object.entries(below).every(([column, param]) => {
    const parent = pathId(req, param)
    return parent !== null && columns[column] === parent
  })
}

/** Returns the values of these columns of a new record: `{ post_id: 7 }` for a comment below `/posts/7`. */
export const parentsInPath = (req: Request, below: Below): object =>
  Object.fromEntries(Object.entries(below).map(([column, param]) => [column, pathId(req, param)]))

/** Returns the id in this part of the path, or null if it is malformed. */
function pathId({ params }: Request, param: string): RecordId | null {
  const text = params[param]
  return recordId(text) ?? recordUuid(text)
}

/** Returns a row in place of the one that a request didn't find. */
export const missingRow = async (req: Request, resource: Resource, id?: RecordId): Promise<object> =>
  standIn(resource, { tenant: (await policyContext(req)).tenant, id })

/** Returns the row that `load` found under this name. Throws if the route doesn't load it. */
export function loadedRow<R extends Resource>(req: Request, resource: R, as: string): RowOf<R> {
  const loaded = requestState(req).rows.get(as)
  if (loaded?.resource !== resource) {
    throw new Error(`No ${resource.name} was loaded as '${as}'. Put load(${resource.name}) in the route.`)
  }
  return loaded.row as RowOf<R>
}

/** Returns the default name of a loaded record: `Post` → `post`. */
export const recordName = ({ name }: Resource): string => name.charAt(0).toLowerCase() + name.slice(1)
