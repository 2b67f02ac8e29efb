import { blankDraft } from '../src/authorization/decisions.ts'
import type { AuthorizeGuard } from '../src/authorization/authorize.ts'
import { decide } from '../src/authorization/decide.ts'
import type { LoadGuard } from '../src/authorization/load.ts'
import { loadRow } from '../src/database/rows.ts'
import { listing } from '../src/lists/listing.ts'
import { allRows, listSource } from '../src/lists/list-source.ts'
import type { Access, Guard, ListedRoute } from '../src/http/route-types.ts'
import { listRoutes } from '../src/http/routes.ts'
import { httpSettings } from '../src/http/settings.ts'
import { seedEmptyTables } from '../src/application/seed-empty-tables.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import type { TestApp, TestUser } from './test-app.ts'
import type { Answer, TestClient } from './test-client.ts'

/**
 * Functions that create a record for the probe, by the name of the resource or, for a route without one, by its path
 * (`/account/sessions/:id`). The record must belong to `owner`. For a resource without a function, the probe uses the
 * records of its seed.
 */
export type Makers = Readonly<Record<string, (owner: TestUser) => Promise<{ id: RecordId }>>>

/**
 * Sends every request about a record that the application answers: as a guest, as a stranger, as the record's owner and
 * as an admin. Returns a sentence for each response that contradicts the policies, and for each response with status
 * 500 or above. A route without `authorize` must deny every caller, except for a `GET` without a record. If such a
 * route belongs to no resource, it may allow the owner. Throws if a route's records have neither a maker nor a seed.
 *
 * Costs four requests for each such route, with a new record each. Use a database of its own: it deletes and changes
 * records.
 *
 * ```ts
 * it('answers as its policies say', async () => {
 *   expect(await probe(app, { Post: (owner) => makePost({ author_id: owner.id }) })).toEqual([])
 * })
 * ```
 */
export async function probe(app: TestApp, makers: Makers): Promise<string[]> {
  const [stranger, owner, admin] = await app.within(() =>
    Promise.all([app.makeUser(), app.makeUser(), app.makeUser({ roles: rolesOf(app) })]),
  )
  const people = { guest: null, stranger, owner, admin }
  await app.within(() => seedEmptyTables(app.resources, [owner.id]))
  const seeded = seededIds(app, owner)
  const findings: string[] = []
  for (const target of targetsOf(app)) {
    for (const [name, person] of Object.entries(people)) {
      const surprise = await surpriseOf(app, { target, person, owner, makers, seeded })
      if (surprise !== null) findings.push(`${nameOf(target)} as ${name}: ${surprise}`)
    }
  }
  return findings
}

interface Target extends ListedRoute {
  /** The resource of the route's table, or null. */
  resource: Resource | null
}

/** Returns the routes about records: those with a parameter, and all routes of a resource. */
function targetsOf({ routes, resources }: TestApp): Target[] {
  const resourceOf = ({ table }: ListedRoute) =>
    resources.find(
      ({ repository: { options }, routes = {} }) =>
        Object.values(routes).includes(table) || table.base === options.api,
    )?.repository.resource ?? null
  return listRoutes(routes)
    .map((route) => ({ ...route, resource: resourceOf(route) }))
    .filter(({ path, resource }) => path.includes(':') || resource !== null)
}

const nameOf = ({ method, path }: Target) => `${method} ${path}`

interface Probing {
  target: Target
  person: TestUser | null
  owner: TestUser
  makers: Makers
  seeded: ReturnType<typeof seededIds>
}

async function surpriseOf(app: TestApp, probing: Probing): Promise<string | null> {
  const ids = await app.within(() => makeRecords(probing))
  const may = await app.within(() => mayPass(app, probing, ids))
  const client = probing.person === null ? app.guest : await app.signInAs(probing.person.email)
  const answer = await send(app, { client, target: probing.target, ids })
  if (answer.status >= 500) return `failed with status ${answer.status}`
  if (may === null || hasPassed(app, answer) === may) return null
  return may ? `was denied with status ${answer.status}` : `was allowed with status ${answer.status}`
}

type Ids = ReadonlyMap<string, RecordId>

/**
 * Creates a record for each parameter of the path and returns their ids by parameter. If `load` reads a record by the
 * parameter, it is a record of that resource, else of the route's resource. If `load` requires a parent (`below`), the
 * parent's parameter gets the id from the loaded record.
 */
async function makeRecords({ target, owner, makers, seeded }: Probing): Promise<Ids> {
  const ids = new Map<string, RecordId>()
  const loads = target.guards.filter(isLoad)
  for (const [, param = ''] of target.path.matchAll(/:(\w+)/g)) {
    const load = loads.find((guard) => guard.param === param)
    const name = load?.resource.name ?? target.path
    const maker = makers[name] ?? makers[target.resource?.name ?? '']
    const id = maker === undefined ? await seeded(name) : (await maker(owner)).id
    if (id === null)
      throw new Error(`${nameOf(target)} has no record to probe. Pass a maker: { '${name}': (owner) => … }.`)
    ids.set(param, id)
  }
  for (const { resource, param, below } of loads) {
    const row = await loadRow(resource, ids.get(param) ?? 0)
    if (row === null)
      throw new Error(`${nameOf(target)}: the maker of ${resource.name} returned an id without a record.`)
    for (const [column, parent] of Object.entries(below))
      ids.set(parent, (row as Record<string, RecordId>)[column] ?? 0)
  }
  return ids
}

/**
 * Returns a function that returns the id of the next seeded record of a resource; null if its seed creates no records.
 */
function seededIds({ resources }: TestApp, owner: TestUser) {
  let turn = 0
  return async (name: string): Promise<RecordId | null> => {
    const declared = resources.find(({ repository }) => repository.resource.name === name)
    if (declared?.seed === undefined) return null
    const { resource } = declared.repository
    const list = listing(listSource(resource, allRows))
    // The requests of the probe may have deleted all records.
    if ((await list.count()) === 0) await declared.seed([owner.id])
    const rows = await list.findAll()
    const row = rows[turn++ % rows.length] as { id: RecordId } | undefined
    return row?.id ?? null
  }
}

/** Returns whether the route should allow the request. Returns null if only its handler can decide. */
async function mayPass(app: TestApp, { target, person, owner }: Probing, ids: Ids): Promise<boolean | null> {
  const access = target.guards[0] as Access
  if (access.access === 'secured' && person === null) return false
  const ctx = app.contextFor(person)
  if (access.roles.length > 0 && !access.roles.some((role) => ctx.roles.includes(role))) return false
  const authorizeGuards = target.guards.filter((guard): guard is AuthorizeGuard => guard.kind === 'authorize')
  if (authorizeGuards.length === 0) return withoutPolicy(target, person === owner)
  for (const { action, resource, from } of authorizeGuards) {
    const load = target.guards
      .filter(isLoad)
      .find((guard) => guard.resource === resource && guard.as === from)
    const row = load && (await loadRow(resource, ids.get(load.param) ?? 0))
    const record = action === 'create' ? blankDraft(resource, ctx) : row
    if (!record || !(await decide(app.registry.policies, ctx, { action, resource, record })).allowed)
      return false
  }
  return true
}

/**
 * Returns whether a route without `authorize` should allow the request. A page without a record is open. If the route
 * belongs to no resource, its handler decides whether the owner may pass, so the result is null for the owner.
 */
function withoutPolicy({ method, path, resource }: Target, isOwner: boolean): boolean | null {
  if (method === 'GET' && !path.includes(':')) return true
  return isOwner && resource === null ? null : false
}

const isLoad = (guard: Guard): guard is LoadGuard => guard.kind === 'load'

interface Sending {
  client: TestClient
  target: Target
  ids: Ids
}

/**
 * Sends the request with an empty body. If it passes the guards, the response is a validation error, which suffices.
 */
function send(app: TestApp, { client, target, ids }: Sending): Promise<Answer> {
  const { method, path } = target
  const { apiPrefix } = httpSettings(app.app)
  const address = path.replaceAll(/:(\w+)/g, (_, param: string) => String(ids.get(param)))
  if (method === 'GET') return client.get(address)
  return client.send(method, address, path.startsWith(`${apiPrefix}/`) ? { json: {} } : { form: {} })
}

/** Returns whether the response is neither a denial nor a redirect to the sign-in page. */
const hasPassed = ({ app }: TestApp, { status, headers }: Answer) =>
  ![401, 403, 404].includes(status) &&
  !(headers.get('location') ?? '').startsWith(httpSettings(app).signInPath)

/** Returns `admin` and every role that a route requires: the roles of the probe's admin. */
const rolesOf = (app: TestApp): string[] => [
  ...new Set([
    'admin',
    ...app.routes.flatMap(({ table }) => Object.values(table).flatMap(([access]) => access.roles)),
  ]),
]
