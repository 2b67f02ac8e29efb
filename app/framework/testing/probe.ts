import { blankDraft } from '../src/policy/decisions.ts'
import { decide } from '../src/policy/decide.ts'
import { loadRow } from '../src/rows/rows.ts'
import type { Access } from '../src/http/routes/route-types.ts'
import { httpSettings } from '../src/http/settings.ts'
import { seedEmptyTables } from '../src/application/seed-empty-tables.ts'
import { decisionsOf } from '../src/manifest/route-facts.ts'
import { send } from './probe-requests.ts'
import {
  type Ids,
  isLoad,
  type Makers,
  nameOf,
  recordMaker,
  type ResourceRoute,
  resourceRoutes,
} from './route-records.ts'
import type { TestApp, TestUser } from './test-app.ts'
import type { Answer } from './test-client.ts'

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
  const makeRecords = recordMaker(app, owner, makers)
  const findings: string[] = []
  for (const route of resourceRoutes(app).filter(isAboutRecords)) {
    for (const [name, person] of Object.entries(people)) {
      const ids = await app.within(() => makeRecords(route))
      const surprise = await surpriseOf(app, { route, ids, person, isOwner: person === owner })
      if (surprise !== null) findings.push(`${nameOf(route)} as ${name}: ${surprise}`)
    }
  }
  return findings
}

const isAboutRecords = ({ path, resource }: ResourceRoute): boolean => path.includes(':') || resource !== null

interface Probing {
  route: ResourceRoute
  ids: Ids
  person: TestUser | null
  isOwner: boolean
}

async function surpriseOf(app: TestApp, probing: Probing): Promise<string | null> {
  const { route, ids, person } = probing
  const may = await app.within(() => mayPass(app, probing))
  const client = person === null ? app.guest : await app.signInAs(person.email)
  // With an empty body: a request that passes the guards gets a validation error, which suffices.
  const answer = await send(app, { client, route, ids })
  if (answer.status >= 500) return `failed with status ${answer.status}`
  if (may === null || hasPassed(app, answer) === may) return null
  return may ? `was denied with status ${answer.status}` : `was allowed with status ${answer.status}`
}

/** Returns whether the route should allow the request. Returns null if only its session or its handler can decide. */
async function mayPass(app: TestApp, probing: Probing): Promise<boolean | null> {
  const { guards } = probing.route
  const needsMore = (guards[0] as Access).verified || guards.some(({ kind }) => kind === 'recently-confirmed')
  const may = await isAllowed(app, probing)
  return may === true && needsMore ? null : may
}

async function isAllowed(app: TestApp, { route, ids, person, isOwner }: Probing): Promise<boolean | null> {
  const access = route.guards[0] as Access
  if (access.access === 'secured' && person === null) return false
  const ctx = app.contextFor(person)
  if (access.roles.length > 0 && !access.roles.some((role) => ctx.roles.includes(role))) return false
  const decisions = decisionsOf(route.guards)
  if (decisions.length === 0) return withoutPolicy(route, isOwner)
  for (const { action, resource, from, below } of decisions) {
    const load = route.guards.filter(isLoad).find((guard) => guard.resource === resource && guard.as === from)
    const row = load && (await loadRow(resource, ids.get(load.param) ?? 0))
    const parents = Object.entries(below).map(([column, param]) => [column, ids.get(param)])
    const record =
      action === 'create' ? { ...Object.fromEntries(parents), ...blankDraft(resource, ctx) } : row
    if (!record || !(await decide(app.registry.policies, ctx, { action, resource, record })).allowed)
      return false
  }
  return true
}

/**
 * Returns whether a route without `authorize` should allow the request. A page without a record is open. If the route
 * belongs to no resource, its handler decides whether the owner may pass, so the result is null for the owner.
 */
function withoutPolicy({ method, path, resource }: ResourceRoute, isOwner: boolean): boolean | null {
  if (method === 'GET' && !path.includes(':')) return true
  return isOwner && resource === null ? null : false
}

/** Returns whether the response is neither a denial nor a redirect to a page that the guards of a route require. */
function hasPassed({ app }: TestApp, { status, headers }: Answer): boolean {
  const { signInPath, verificationPath, confirmationPath } = httpSettings(app)
  const [location = ''] = (headers.get('location') ?? '').split('?')
  const required: (string | undefined)[] = [signInPath, verificationPath, confirmationPath]
  return ![401, 403, 404].includes(status) && !required.includes(location)
}

/** Returns `admin` and every role that a route requires: the roles of the probe's admin. */
const rolesOf = (app: TestApp): string[] => [
  ...new Set([
    'admin',
    ...app.routes.flatMap(({ table }) => Object.values(table).flatMap(([access]) => access.roles)),
  ]),
]
