import type { Request, Response } from 'express'
import { sql } from 'kysely'
import { publicRoute, secured } from '../policy/access.ts'
import { authorize, record } from '../policy/authorize.ts'
import { type Below, load, loadedRow, parentsInPath, recordName } from '../policy/load.ts'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { seenFields } from '../policy/field-access.ts'
import { policyContext } from '../policy/policy-context.ts'
import { policy, type VerbOf } from '../policy/policy.ts'
import { jsonBody } from '../http/bodies/json-body.ts'
import type { Handler, Routes, Guard } from '../http/routes/route-types.ts'
import { routes, builtInGuard } from '../http/routes/routes.ts'
import { requestsCursorPage, cursorRequest } from '../pagination/cursor-request.ts'
import type { CursorPage } from '../pagination/cursor-page.ts'
import { linkHeader } from '../pagination/link-header.ts'
import type { AnyPage } from '../pagination/page.ts'
import { pageRequest } from '../pagination/page-request.ts'
import type { Resource } from '../resource/resource.ts'
import { jsonInput } from '../input/record-input.ts'
import { rejectIgnoredParams } from '../lists/list-param-errors.ts'
import { listQuery } from '../lists/list-query.ts'
import type { Repository } from './repository.ts'
import { requireVersion } from '../policy/recorded-decisions.ts'
import { shownVersion } from '../rows/rows.ts'
import { PreconditionRequired } from '../http/errors.ts'
import { Stale } from '../writes/write-conflicts.ts'

/**
 * Returns the five JSON endpoints of a repository, and one for each of its actions, as a route table with the usual guards.
 * The scope decides about the list, and the policy about all other endpoints.
 */
export function repositoryApi(repository: Repository, api: string): Routes {
  const { resource, options } = repository
  // Without a policy every endpoint needs a session.
  const reading = options.policy === undefined || options.apiReading === 'secured' ? secured : publicRoute
  const below = Object.fromEntries([...api.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, name]))
  const parents = parentsIn(resource, below)
  const [readers, writers] = [[reading(), ...parents] as const, [secured(), ...parents] as const]
  const row = load(resource, { below })
  const version = ifMatch(resource)
  const changing = (action: Verb) => [...writers, row, authorize(action, resource), ...version] as const
  const actions = (Object.keys(options.actions ?? {}) as Verb[]).map(
    (action) => [`POST /:id/${dashed(action)}`, [...changing(action), perform(repository, action)]] as const,
  )
  return routes(api, {
    'GET /': [...readers, list(repository, below)],
    'GET /:id': [...readers, row, authorize('show', resource), show(resource)],
    'POST /': [...writers, authorize('create', resource, { below }), jsonBody(), create(repository)],
    'PUT /:id': [...changing('update'), jsonBody(), update(repository)],
    'DELETE /:id': [...changing('delete'), destroy(repository)],
    ...Object.fromEntries(actions),
  })
}

/** Returns the guards of the parents in the path. Throws unless each parameter is a reference of the resource. */
const parentsIn = (resource: Resource, below: Below): Guard[] =>
  Object.keys(below).flatMap((param) => {
    const parent = resource.references[param]
    if (parent === undefined)
      throw new Error(`${resource.name} has no reference ${param}, which its api has in the path.`)
    return [load(parent, { param, as: param }), authorize('show', parent, { from: param })]
  })

/** Returns the policy for an API whose repository declares none: every signed-in user may do everything. */
export const anySession = (resource: Resource) =>
  policy(resource, { canShow: signedIn, canCreate: signedIn, canUpdate: signedIn, canDelete: signedIn })

const signedIn = (ctx: PolicyContext) => ctx.userId !== null

const list = (repository: Repository, below: Below): Handler =>
  async function list(req, res) {
    const ctx = await policyContext(req)
    const visible = repository.visibleTo(ctx)
    rejectIgnoredParams(req, repository.resource, seenFields(ctx, repository.resource)?.unlisted)
    const listed = { query: listQuery(req, repository.resource), ...belowParents(req, below) }
    // By default, an invalid cursor is an error: an export must not silently start again at the first page.
    const invalidCursor = repository.options.cursorErrors?.api ?? 'refuse'
    const page = requestsCursorPage(req)
      ? await visible.cursorPage(cursorRequest(req, repository), { ...listed, invalidCursor })
      : await visible.page(pageRequest(req, repository), {
          ...listed,
          count: repository.options.apiCount ?? 'exact',
        })
    sendPage(req, res, page)
  }

/** Returns the condition for the rows below the parents in the path; none without parents. */
function belowParents(req: Request, below: Below) {
  const conditions = Object.entries(parentsInPath(req, below)).map(
    ([column, id]) => sql`${sql.ref(column)} = ${id}`,
  )
  return conditions.length === 0 ? {} : { where: () => sql<boolean>`${sql.join(conditions, sql` and `)}` }
}

function sendPage(req: Request, res: Response, page: AnyPage | CursorPage<unknown>): void {
  const query = /\?.*/s.exec(req.originalUrl)?.[0] ?? ''
  const links = linkHeader(page, { basePath: req.baseUrl + req.path, query })
  if (links !== '') res.append('Link', links)
  res.json(page)
}

const show = (resource: Resource): Handler =>
  function show(req, res) {
    sendRow(res, resource, record(req, resource, 'show'))
  }

const create = (repository: Repository): Handler =>
  async function create(req, res) {
    const { resource } = repository
    const row = await repository.insert(record(req, resource, 'create'), await jsonInput(req, resource))
    const list = (req.baseUrl + req.path).replace(/\/$/, '')
    sendRow(res.status(201).location(`${list}/${idOf(row)}`), resource, row)
  }

const update = (repository: Repository): Handler =>
  async function update(req, res) {
    const { resource } = repository
    const row = record(req, resource, 'update')
    sendRow(res, resource, await repository.update(row, await jsonInput(req, resource, row)))
  }

const destroy = (repository: Repository): Handler =>
  async function destroy(req, res) {
    await repository.delete(record(req, repository.resource, 'delete'))
    res.status(204).end()
  }

const perform = (repository: Repository, action: Verb): Handler =>
  async function perform(req, res) {
    const { resource } = repository
    sendRow(res, resource, await repository.perform(record(req, resource, action), action))
  }

/** An action that changes a record. The type of a repository of any resource only knows the standard ones. */
type Verb = Exclude<VerbOf<Resource>, 'create'>

/** The path of an action: `mark-closed` for `markClosed`. */
const dashed = (action: string) => action.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const idOf = (row: object) => String((row as { id: unknown }).id)

/** Sends a row, and its version as an `ETag` if the resource has versions. */
function sendRow(res: Response, resource: Resource, row: object): void {
  const version = shownVersion(resource, row)
  if (version !== undefined) res.set('ETag', `"${version}"`)
  // The ids that a caller sees in a list may change without the record.
  if (Object.keys(resource.joins).length > 0) delete res.req.headers['if-none-match']
  res.json(row)
}

/**
 * Returns a guard that requires the row's current version in `If-Match` (RFC 9110, 13.1.1). It runs after
 * `authorize`, so that a denied caller gets neither of its errors. Returns no guard for a resource without versions.
 */
const ifMatch = (resource: Resource): Guard[] =>
  resource.managed.version ? [builtInGuard({ kind: 'if-match', run: (req) => compare(req, resource) })] : []

function compare(req: Request, resource: Resource): void {
  const row = loadedRow(req, resource, recordName(resource))
  const header = req.get('If-Match')
  if (header === undefined) throw new PreconditionRequired('Send the ETag of the record in If-Match.')
  // `*` matches any version.
  if (header.trim() === '*') return
  if (!strongTags(header).includes(shownVersion(resource, row) ?? '')) throw new Stale(row)
  requireVersion(req, row)
}

const LIST = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/
const TAG = /(W\/)?"([^"]*)"/g

/** Returns the strong tags of an `If-Match` header. Weak tags never match, and a malformed header has none. */
function strongTags(header: string): string[] {
  if (!LIST.test(header.trim())) return []
  return [...header.matchAll(TAG)].flatMap(([, weak, tag]) => (weak === undefined ? [tag ?? ''] : []))
}
