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
 * Lets a request pass when the policy allows `action` on the record that `load(resource)` found; the handler doesn't
 * run otherwise. `create` loads nothing and is asked about a blank draft. `from` names the record where two are loaded.
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
 * The loaded row, typed as allowed for `action`; for `create` the blank draft. Throws when `authorize(action, resource)`
 * did not pass.
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
 * Asks inside a handler: returns the record as allowed for `action`, throws `Denied`, or `NotFound` for null.
 * A copy of a row is loaded afresh. For `create` it takes the values that would be stored and fills in the owner.
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
