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
 * (`/account/sessions/:id`). The record belongs to `owner`. A resource without a function gets its records from its
 * seed.
 */
export type Makers = Readonly<Record<string, (owner: TestUser) => Promise<{ id: RecordId }>>>

/**
 * Sends every request about a record that the application answers: as a guest, as a stranger, as the record's owner
 * and as an admin. Returns a sentence for each response that contradicts the policies, and for each response with
 * status 500 or above. A route without `authorize` must refuse everybody. Throws if a route's records have neither a
 * maker nor a seed.
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
  /** Whose table it stands in; null for a route of no resource. */
  resource: Resource | null
}

/** What is about records: routes with a parameter, and everything in a resource's table. */
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
  if (answer.status >= 500) return `broke with ${answer.status}`
  if (may === null || hasPassed(app, answer) === may) return null
  return may ? `was refused with ${answer.status}` : `got in, with ${answer.status}`
}

type Ids = ReadonlyMap<string, RecordId>

/**
 * A record for each parameter of the path: of the resource that is loaded by it, else of the table's own. One that the
 * record has to be below is the record's.
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
      throw new Error(
        `${nameOf(target)}: give the probe a maker of its records: { '${name}': (owner) => … }.`,
      )
    ids.set(param, id)
  }
  for (const { resource, param, below } of loads) {
    const row = await loadRow(resource, ids.get(param) ?? 0)
    if (row === null)
      throw new Error(`${nameOf(target)}: the maker of ${resource.name} made nothing with the id it gave.`)
    for (const [column, parent] of Object.entries(below))
      ids.set(parent, (row as Record<string, RecordId>)[column] ?? 0)
  }
  return ids
}

/** Gives the records that the seed of a resource made, one after the other; null where it has no seed, or that makes none. */
function seededIds({ resources }: TestApp, owner: TestUser) {
  let turn = 0
  return async (name: string): Promise<RecordId | null> => {
    const declared = resources.find(({ repository }) => repository.resource.name === name)
    if (declared?.seed === undefined) return null
    const { resource } = declared.repository
    const list = listing(listSource(resource, allRows))
    // All of them may have been deleted by now.
    if ((await list.count()) === 0) await declared.seed([owner.id])
    const rows = await list.findAll()
    const row = rows[turn++ % rows.length] as { id: RecordId } | undefined
    return row?.id ?? null
  }
}

/** What the guards should say; null where nothing is asked and only the handler can know that the record is the owner's. */
async function mayPass(app: TestApp, { target, person, owner }: Probing, ids: Ids): Promise<boolean | null> {
  const access = target.guards[0] as Access
  if (access.access === 'secured' && person === null) return false
  const ctx = app.contextFor(person)
  if (access.roles.length > 0 && !access.roles.some((role) => ctx.roles.includes(role))) return false
  const asked = target.guards.filter((guard): guard is AuthorizeGuard => guard.kind === 'authorize')
  if (asked.length === 0) return unasked(target, person === owner)
  for (const { action, resource, from } of asked) {
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

/** Where no policy is asked: pages without a record are open, records of no resource are the handler's to guard. */
function unasked({ method, path, resource }: Target, isOwner: boolean): boolean | null {
  if (method === 'GET' && !path.includes(':')) return true
  return isOwner && resource === null ? null : false
}

const isLoad = (guard: Guard): guard is LoadGuard => guard.kind === 'load'

interface Sending {
  client: TestClient
  target: Target
  ids: Ids
}

/** With nothing in it: whoever passes is told that fields are missing, and nobody has to know what they are. */
function send(app: TestApp, { client, target, ids }: Sending): Promise<Answer> {
  const { method, path } = target
  const { apiPrefix } = httpSettings(app.app)
  const address = path.replaceAll(/:(\w+)/g, (_, param: string) => String(ids.get(param)))
  if (method === 'GET') return client.get(address)
  return client.send(method, address, path.startsWith(`${apiPrefix}/`) ? { json: {} } : { form: {} })
}

/** Neither refused nor sent to sign in. */
const hasPassed = ({ app }: TestApp, { status, headers }: Answer) =>
  ![401, 403, 404].includes(status) &&
  !(headers.get('location') ?? '').startsWith(httpSettings(app).signInPath)

/** Every role that a route asks for, so that the admin has them. */
const rolesOf = (app: TestApp): string[] => [
  ...new Set([
    'admin',
    ...app.routes.flatMap(({ table }) => Object.values(table).flatMap(([access]) => access.roles)),
  ]),
]
