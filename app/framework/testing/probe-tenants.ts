import { isDeepStrictEqual } from 'node:util'
import { seedEmptyTables } from '../src/application/seed-empty-tables.ts'
import { loadRow } from '../src/rows/rows.ts'
import { withTenant } from '../src/rows/tenant.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import type { Row } from './all-records.ts'
import { comparable } from './comparable.ts'
import { crossedReferences, deleteRecord, digestOf, MARK, markRows } from './foreign-rows.ts'
import { foreignBodies, foreignQueries } from './foreign-requests.ts'
import { type Body, send } from './probe-requests.ts'
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
import type { Answer, TestClient } from './test-client.ts'

interface Neighbours<User extends TestUser> {
  /** The user who sends the requests, with every role that a route requires. */
  insider: User
  /** A user of another tenant, whose records the requests ask for. */
  outsider: User
  makers?: Makers
}

/**
 * Sends the requests of every route as a user of one tenant, with the ids, filters, searches and references of another
 * tenant. A route that belongs to no resource gets bodies with these ids, by the names that columns have. Returns
 * a sentence for each response that contains data of the other tenant, for each that differs from the response about a
 * missing record, for each request that changes a record of the other tenant, and for each record that then refers to
 * another tenant. Throws if no resource has a tenant, and if both users have the same one.
 *
 * Use a database of its own: it changes and deletes records, and writes a mark into the texts of the other tenant.
 *
 * ```ts
 * it('shows and changes no data of another tenant', async () => {
 *   expect(await probeTenants(app, { insider, outsider })).toEqual([])
 * })
 * ```
 */
export async function probeTenants<User extends TestUser>(
  app: TestApp<User>,
  neighbours: Neighbours<User>,
): Promise<string[]> {
  const probe = await openProbe(app, neighbours)
  const findings: string[] = []
  for (const route of resourceRoutes(app)) {
    const ofRoute = [...(await probeForeignRecord(probe, route)), ...(await probeOwnRecord(probe, route))]
    findings.push(...new Set(ofRoute.map((finding) => `${nameOf(route)}: ${finding}`)))
  }
  return [...findings, ...(await app.within(() => crossedReferences(probe.divided)))]
}

/** The parts of a probe. `own` and `foreign` are the tenants of the insider and of the outsider. */
type Probe = Awaited<ReturnType<typeof openProbe>>

async function openProbe<User extends TestUser>(
  app: TestApp<User>,
  { insider, outsider, makers = {} }: Neighbours<User>,
) {
  const [own, foreign] = [insider, outsider].map((user) => app.contextFor(user).tenant)
  if (own == null || foreign == null || own === foreign)
    throw new Error('The insider and the outsider need a tenant each, and two different ones.')
  const all = app.resources.map(({ repository }) => repository.resource)
  const divided = all.filter(({ tenant }) => tenant !== null)
  if (divided.length === 0) throw new Error('No resource has a tenant, so there is nothing to probe.')
  await app.within(() => seedEmptyTables(app.resources, [insider.id, outsider.id]))
  await app.within(() => markRows(divided, foreign))
  const recordsOf = (owner: User, tenant: RecordId) => {
    const makeRecords = recordMaker(app, owner, makers)
    return (route: ResourceRoute) => app.within(() => withTenant(tenant, () => makeRecords(route)))
  }
  const unmarkedRecords = recordsOf(outsider, foreign)
  return {
    app,
    own,
    foreign,
    divided,
    ownRecords: recordsOf(insider, own),
    async foreignRecords(route: ResourceRoute) {
      const ids = await unmarkedRecords(route)
      await app.within(() => markRows(divided, foreign))
      return ids
    },
    clientFor: signedIn(() => app.signInAs(insider.email)),
    /** Returns a digest of the rows of the other tenant. */
    digest: () => app.within(() => digestOf(divided, foreign)),
    deleteRecord: (resource: Resource, id: RecordId) => app.within(() => deleteRecord(resource, id, all)),
  }
}

/** Returns a function that returns a client for a request. It signs in only if it must: hashing a password takes time. */
function signedIn(signIn: () => Promise<TestClient>) {
  let shared: Promise<TestClient> | undefined
  return ({ method, resource }: ResourceRoute): Promise<TestClient> => {
    if (method === 'GET' || resource !== null) return (shared ??= signIn())
    // The request may end the session, or all of the user.
    shared = undefined
    return signIn()
  }
}

/** Asks for a record of the other tenant, and for the same record after its deletion. */
async function probeForeignRecord(probe: Probe, route: ResourceRoute): Promise<string[]> {
  const loads = route.guards.filter(isLoad).filter(({ resource }) => resource.tenant !== null)
  if (loads.length === 0) return []
  const findings: string[] = []
  const client = await probe.clientFor(route)
  const bodies = await foreignBodies(probe, route)
  // The record is refused before its body is read, so that one with values is enough.
  for (const body of new Set([bodies.at(0) ?? {}, bodies.at(-1) ?? {}])) {
    const ids = await probe.foreignRecords(route)
    const request = () => send(probe.app, { client, route, ids, body })
    const [found, problems] = await observed(probe, request)
    findings.push(...problems)
    if (found.status < 400) findings.push(`returned status ${found.status} for a record of another tenant`)
    for (const { resource, param } of loads) await probe.deleteRecord(resource, ids.get(param) ?? 0)
    if (!isDeepStrictEqual(comparable(found), comparable(await request())))
      findings.push('answers differently for a record of another tenant and for a missing one')
  }
  // The lists and the values of the following routes need a record of the other tenant.
  await probe.foreignRecords(route)
  return findings
}

/** Asks for the insider's own records and lists, with values of the other tenant. */
async function probeOwnRecord(probe: Probe, route: ResourceRoute): Promise<string[]> {
  const findings: string[] = []
  const queries = route.method === 'GET' ? await foreignQueries(probe, route) : ['']
  // The last body is empty. Only with it, the request may end the session.
  const client = await probe.clientFor(route)
  for (const query of queries) {
    for (const fields of await foreignBodies(probe, route)) {
      const ids = await probe.ownRecords(route)
      const body = await probe.app.within(() => withVersion(route, ids, fields))
      const [, problems] = await observed(probe, () => send(probe.app, { client, route, ids, body, query }))
      findings.push(...problems.map((problem) => (query === '' ? problem : `?${query} ${problem}`)))
    }
  }
  return findings
}

/** Returns the body with the version of the record that the route loads: an outdated one would be rejected for itself. */
async function withVersion({ guards, resource }: ResourceRoute, ids: Ids, body: Body): Promise<Body> {
  const load = guards.filter(isLoad).find((guard) => guard.resource === resource)
  if (load === undefined || body['_version'] === undefined) return body
  const row = await loadRow(load.resource, ids.get(load.param) ?? 0)
  return { ...body, _version: String((row as Row | null)?.['version']) }
}

/** Sends a request. Returns the response, and a sentence for each thing that no request may show or do. */
async function observed(
  probe: Probe,
  request: () => Promise<Answer>,
): Promise<[answer: Answer, problems: string[]]> {
  const before = await probe.digest()
  const answer = await request()
  const hasChanged = (await probe.digest()) !== before
  const isLeak = [answer.text, ...answer.headers.values()].some((part) => part.includes(MARK))
  return [
    answer,
    [
      ...(hasChanged ? ['changed a record of another tenant'] : []),
      ...(isLeak ? ['shows data of another tenant'] : []),
      ...(answer.status >= 500 ? [`failed with status ${answer.status}`] : []),
    ],
  ]
}
