import type { Application, Request } from 'express'
import { copyRow, loadRow, originOf, resourceOf } from '../rows/rows.ts'
import { NotFound } from '../http/errors.ts'
import { builtInGuard } from '../http/routes/routes.ts'
import type { Guard } from '../http/routes/route-types.ts'
import { readId } from '../resource/record-id.ts'
import type { IdOf, Resource, RowOf } from '../resource/resource.ts'
import type { ColumnOf, RecordId } from '../resource/tables.ts'
import type { SetColumns, WriteValues } from '../resource/validated.ts'
import { authorizeDraft, authorizeRow } from './decisions.ts'
import type { Seen } from './field-access.ts'
import { type Below, checkLoads, loadedRow, missingRow, parentsInPath, recordName } from './load.ts'
import type { DraftOf, VerbOf } from './policy.ts'
import { authorizationOf, requestState } from './policy-state.ts'
import { type Authorized, type AuthorizedDraft, recordedDecision } from './recorded-decisions.ts'

export interface AuthorizeGuard extends Guard {
  readonly kind: 'authorize'
  readonly action: string
  readonly resource: Resource
  /** The name of the loaded record. */
  readonly from: string
  /** The columns of a draft that path parameters determine. */
  readonly below: Below
}

interface AuthorizeOptions<R extends Resource> {
  /** The name of the record, if a route loads two records of the resource. */
  from?: string
  /** For `create`, the parents in the path: with `{ post_id: 'post' }`, `post_id` is the path parameter `post`. */
  below?: { readonly [Column in ColumnOf<R['table']>]?: string }
}

/**
 * Returns a guard that continues if the policy allows `action` on the record that `load` found. Otherwise it throws
 * `Denied`. For `create`, no record is loaded: the policy decides on a draft that only has an owner, and its parents with
 * `below`. Drafts of `authorizeRecord` in the handler get the same parents.
 *
 * `webApplication` throws if the resource has no policy, or if no `load` of the resource precedes this guard, or no `load` of
 * a parent.
 *
 * ```ts
 * 'PUT /:id': [secured(), load(Post), authorize('update', Post), update]
 * 'POST /posts/:post/comments': [
 *   secured(),
 *   load(Post, { param: 'post' }),
 *   authorize('show', Post),
 *   authorize('create', Comment, { below: { post_id: 'post' } }),
 *   create,
 * ]
 * ```
 */
export function authorize<R extends Resource>(
  action: VerbOf<R>,
  resource: R,
  options: AuthorizeOptions<R> = {},
): AuthorizeGuard {
  const { from = recordName(resource) } = options
  const below: Below = { ...options.below }
  return builtInGuard({
    kind: 'authorize',
    action,
    resource,
    from,
    below,
    async run(req) {
      if (action === 'create') await authorizeNew(req, resource, below)
      else await authorizeLoaded(req, { action, resource, from })
    },
    check(before, app) {
      checkPolicy(app, resource)
      checkLoads(before, { action, resource, from, below })
    },
  })
}

/** Authorizes a draft below the parents in the path. */
async function authorizeNew(req: Request, resource: Resource, below: Below): Promise<void> {
  const { parents, drafts } = requestState(req)
  parents.set(resource, parentsInPath(req, below))
  drafts.set(resource, await authorizeDraft(req, resource))
}

/** Authorizes an action on the loaded row, and replaces it by the row as the caller sees it. */
async function authorizeLoaded(
  req: Request,
  { action, resource, from }: Pick<AuthorizeGuard, 'action' | 'resource' | 'from'>,
): Promise<void> {
  const row = await authorizeRow(req, { action, resource, record: loadedRow(req, resource, from) })
  requestState(req).rows.set(from, { resource, row })
}

/**
 * Returns the record that the guards of the route loaded and authorized for `action`, or the draft for `create`. Sends
 * no query. Throws if `authorize(action, resource)` is not one of the guards.
 *
 * ```ts
 * const post = record(req, Post, 'update')
 * await posts.update(post, await jsonInput(req, Post, post))
 * ```
 */
export function record<R extends Resource>(req: Request, resource: R, action: 'create'): AuthorizedDraft<R>
export function record<R extends Resource, Action extends Exclude<VerbOf<R>, 'create'>>(
  req: Request,
  resource: R,
  action: Action,
  options?: { from?: string },
): Authorized<Action, R>
export function record(
  req: Request,
  resource: Resource,
  action: string,
  { from = recordName(resource) }: { from?: string } = {},
): object {
  const row = action === 'create' ? requestState(req).drafts.get(resource) : loadedRow(req, resource, from)
  if (row === undefined || recordedDecision(row, resource, [action]) === undefined) {
    throw new Error(
      `'${action}' was not authorized. Put authorize('${action}', ${resource.name}) in the route.`,
    )
  }
  return row
}

/**
 * Authorizes an action inside a handler, on a row or on the record with an id. Returns the record as the caller sees it,
 * authorized for `action`: the repository's writes accept only such records. Throws `Denied` if the policy denies the
 * action, and `NotFound` if the record doesn't exist, is null or undefined.
 *
 * For `create`, pass the validated input, and name the columns that the code sets in `set`. The owner is the caller, and
 * the parents are those of `authorize('create', …, { below })`, whatever the values contain. Throws `Invalid` (422) with
 * the refused fields if the policy allows the draft without the input. For an id, and for a copy of
 * a row such as `{ ...post }`, the stored row is loaded with one query. Rows in the trash are found only for `restore`.
 *
 * ```ts
 * const draft = await authorizeRecord(req, 'create', Post, { ...input, pinned: true }, { set: ['pinned'] })
 * await posts.insert(draft)
 * ```
 */
export function authorizeRecord<R extends Resource, Column extends keyof DraftOf<R> & string = never>(
  req: Request,
  action: 'create',
  resource: R,
  ...values: WriteValues<R, DraftOf<R>, Column>
): Promise<AuthorizedDraft<R>>
export function authorizeRecord<R extends Resource, Action extends Exclude<VerbOf<R>, 'create'>>(
  req: Request,
  action: Action,
  resource: R,
  row: RowOf<Seen<R>> | IdOf<R> | null | undefined,
): Promise<Authorized<Action, R>>
export async function authorizeRecord(
  req: Request,
  action: string,
  resource: Resource,
  ...values: readonly unknown[]
) {
  const [record, options] = values as Given
  if (record === null || record === undefined) {
    if (action === 'create') throw new NotFound()
    return authorizeRow(req, { action, resource, record: await missingRow(req, resource) })
  }
  if (action === 'create') return authorizeDraft(req, resource, { values: Object(record), set: options?.set })
  if (typeof record !== 'object') return authorizeId(req, { action, resource, id: record })
  rejectOther(resource, record)
  const origin = originOf(resource, record)
  if (origin === undefined) return authorizeId(req, { action, resource, id: (record as { id?: unknown }).id })
  // Authorizes a new object. Otherwise the decision would apply to all requests with this row, for example in a cache.
  return authorizeRow(req, { action, resource, record: copyRow(record, origin) })
}

type Given = readonly [record: object | RecordId | null | undefined, options?: SetColumns<string>]

async function authorizeId(
  req: Request,
  { action, resource, id }: { action: string; resource: Resource; id: unknown },
): Promise<object> {
  const key = readId(resource.idKind, String(id))
  if (key === null) throw new NotFound()
  const row = await loadRow(resource, key, action === 'restore' ? 'all' : 'live')
  return authorizeRow(req, { action, resource, record: row ?? (await missingRow(req, resource, key)) })
}

function rejectOther(resource: Resource, row: object): void {
  const other = resourceOf(row)
  if (other !== undefined && other !== resource)
    throw new Error(`This is a ${other.name}, not a ${resource.name}.`)
}

function checkPolicy(app: Application, resource: Resource): void {
  if (authorizationOf(app).registry.policies.has(resource)) return
  throw new Error(
    `${resource.name} has no policy. Give its repository one: repository(${resource.name}, { policy }).`,
  )
}
