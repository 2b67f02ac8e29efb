import type { Application, Request } from 'express'
import { copyRow, loadRow, originOf, resourceOf } from '../database/rows.ts'
import { NotFound } from '../http/errors.ts'
import { guard, type Guard } from '../http/routes.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { askAboutDraft, askAboutRow } from './ask.ts'
import { loaded, type LoadGuard, nameOf } from './load.ts'
import type { DraftOf, VerbOf } from './policy.ts'
import { type Authorized, type AuthorizedDraft, proofOf } from './proof.ts'
import { authorizationOfApp } from './registry.ts'

export interface AuthorizeGuard extends Guard {
  readonly kind: 'authorize'
  readonly action: string
  readonly resource: Resource
  /** The name under which its record was loaded. */
  readonly from: string
}

/**
 * Guard that lets the request pass if the policy allows `action` on the record that `load` found. Throws `Denied`
 * otherwise. For `create`, no record is loaded: the policy is asked about a draft that only has an owner.
 *
 * `mount` throws if the resource has no policy, or if no `load` of the resource stands before this guard. `from`
 * names the record if a route loads two of them.
 *
 * ```ts
 * 'PUT /:id': [secured(), load(Post), authorize('update', Post), update]
 * ```
 */
export function authorize<R extends Resource>(
  action: VerbOf<R>,
  resource: R,
  { from = nameOf(resource) }: { from?: string } = {},
): AuthorizeGuard {
  return guard({
    kind: 'authorize',
    action,
    resource,
    from,
    async run(req) {
      if (action === 'create') keepDraft(req, resource, await askAboutDraft(req, resource, {}))
      else await askAboutRow(req, { action, resource }, loaded(req, resource, from))
    },
    check(before, app) {
      checkPolicy(app, resource)
      if (action !== 'create' && !before.some((guard) => loadsAs(guard, resource, from))) {
        throw new Error(
          `authorize('${action}', ${resource.name}) has no record. Put load(${resource.name}) before it.`,
        )
      }
    },
  })
}

/**
 * Returns the record that the guards of the route loaded and allowed for `action`; for `create`, the draft. Sends no
 * query. Throws an error with the remedy if `authorize(action, resource)` is not among the guards.
 *
 * ```ts
 * const post = record(req, Post, 'update')
 * await posts.update(post, { title: 'New title' })
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
  { from = nameOf(resource) }: { from?: string } = {},
): object {
  const found = action === 'create' ? drafts.get(req)?.get(resource) : loaded(req, resource, from)
  if (found === undefined || proofOf(found, resource, [action]) === undefined) {
    throw new Error(
      `Nobody decided on '${action}'. Put authorize('${action}', ${resource.name}) in the route.`,
    )
  }
  return found
}

/**
 * Asks the policy inside a handler. Returns the record as allowed for `action`, which is what the repository's
 * writes accept. Throws `Denied` if the policy says no, and `NotFound` if the record is null or undefined.
 *
 * For `create`, pass the values to store: the owner is filled in. A copy of a row, such as `{ ...post }`, costs one
 * query that loads the stored row.
 *
 * ```ts
 * const draft = await authorizeRecord(req, 'create', Post, { ...input, pinned: true })
 * await posts.insert(draft)
 * ```
 */
export function authorizeRecord<R extends Resource>(
  req: Request,
  action: 'create',
  resource: R,
  draft: DraftOf<R>,
): Promise<AuthorizedDraft<R>>
export function authorizeRecord<R extends Resource, Action extends Exclude<VerbOf<R>, 'create'>>(
  req: Request,
  action: Action,
  resource: R,
  row: RowOf<R> | null | undefined,
): Promise<Authorized<Action, R>>
export async function authorizeRecord(
  req: Request,
  action: string,
  resource: Resource,
  record: object | null | undefined,
) {
  if (record === null || record === undefined) throw new NotFound()
  if (action === 'create') return askAboutDraft(req, resource, record)
  refuseOther(resource, record)
  const origin = originOf(resource, record)
  // An object of this request's own: whoever else holds the row, in a cache say, gets no proof by our asking.
  const row = origin === undefined ? await reload(resource, record) : copyRow(record, origin)
  await askAboutRow(req, { action, resource }, row)
  return row
}

const drafts = new WeakMap<Request, Map<Resource, object>>()

function keepDraft(req: Request, resource: Resource, draft: object): void {
  const kept = drafts.get(req) ?? new Map<Resource, object>()
  drafts.set(req, kept.set(resource, draft))
}

function refuseOther(resource: Resource, row: object): void {
  const other = resourceOf(row)
  if (other !== undefined && other !== resource)
    throw new Error(`This is a ${other.name}, not a ${resource.name}.`)
}

async function reload(resource: Resource, copy: object): Promise<object> {
  const row = await loadRow(resource, (copy as { id?: unknown }).id)
  if (row === null) throw new NotFound()
  return row
}

function checkPolicy(app: Application, resource: Resource): void {
  if (authorizationOfApp(app).registry.policies.has(resource)) return
  throw new Error(
    `${resource.name} has no policy. Give its repository one: repository(${resource.name}, { policy }).`,
  )
}

function loadsAs(guard: Guard, resource: Resource, as: string): boolean {
  const load = guard as Partial<LoadGuard>
  return load.kind === 'load' && load.resource === resource && load.as === as
}
