import { isDeepStrictEqual } from 'node:util'
import { loadRow } from '../src/rows/rows.ts'
import { withTenant } from '../src/rows/tenant.ts'
import { seedEmptyTables } from '../src/application/seed-empty-tables.ts'
import type { RecordId } from '../src/resource/tables.ts'
import { comparable } from './comparable.ts'
import { crossedReferences, deleteRecord, digestOf, markRows, type Row } from './foreign-rows.ts'
import { foreignBodies } from './foreign-bodies.ts'
import { foreignQueries } from './foreign-queries.ts'
import { addressOf, leaks, send } from './probe-requests.ts'
import {
  type Ids,
  isLoad,
  type Makers,
  makeRecords,
  type ResourceRoute,
  resourceRoutes,
  seededIds,
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
 * Sends the requests of every route as a user of one tenant, with the ids, filters, searches, references and cursors of
 * another tenant. A route that belongs to no resource gets bodies with these ids, by the names that columns have. Returns
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
  { insider, outsider, makers = {} }: Neighbours<User>,
): Promise<string[]> {
  const [own, foreign] = [insider, outsider].map((user) => app.contextFor(user).tenant)
  if (own == null || foreign == null || own === foreign)
    throw new Error('The insider and the outsider need a tenant each, and two different ones.')
  const divided = app.resources
    .map(({ repository }) => repository.resource)
    .filter(({ tenant }) => tenant !== null)
  if (divided.length === 0) throw new Error('No resource has a tenant, so there is nothing to probe.')
  await app.within(() => seedEmptyTables(app.resources, [insider.id, outsider.id]))
  const recordsOf = (owner: User, tenant: RecordId) => {
    const seeded = seededIds(app, owner)
    return (route: ResourceRoute): Promise<Ids> =>
      app.within(() => withTenant(tenant, () => makeRecords(route, { owner, makers, seeded })))
  }
  const digest = () => digestOf(divided, foreign)
  const mark = marker(() => markRows(divided, foreign), digest)
  const probe: Probe = {
    app: app,
    own,
    foreign,
    ownRecords: recordsOf(insider, own),
    foreignRecords: recordsOf(outsider, foreign),
    client: signedIn(() => app.signInAs(insider.email)),
    outsider: await app.signInAs(outsider.email),
    mark: () => app.within(mark),
    digest: () => app.within(digest),
  }
  const findings: string[] = []
  for (const route of resourceRoutes(app)) {
    findings.push(...(await probeForeignRecord(probe, route)), ...(await probeOwnRecord(probe, route)))
  }
  return [...findings, ...(await app.within(() => crossedReferences(divided)))]
}

interface Probe {
  app: TestApp
  /** The tenants of the insider and of the outsider. */
  own: RecordId
  foreign: RecordId
  ownRecords: (route: ResourceRoute) => Promise<Ids>
  foreignRecords: (route: ResourceRoute) => Promise<Ids>
  /** Returns a client of the insider for a request of this route. */
  client: (route: ResourceRoute) => Promise<TestClient>
  outsider: TestClient
  /** Marks the rows of the other tenant, and returns their digest. */
  mark: () => Promise<string>
  digest: () => Promise<string>
}

/** Returns a function that marks only rows that have changed since, and returns the digest of all. */
function marker(mark: () => Promise<void>, digest: () => Promise<string>): () => Promise<string> {
  let marked: string | null = null
  return async () => {
    if ((await digest()) === marked) return marked
    await mark()
    return (marked = await digest())
  }
}

/** Returns a function that signs in only if it must, since hashing a password takes time. */
function signedIn(signIn: () => Promise<TestClient>): Probe['client'] {
  let shared: Promise<TestClient> | undefined
  return ({ method, resource }) => {
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
  const client = await probe.client(route)
  const all = probe.app.resources.map(({ repository }) => repository.resource)
  const bodies = await foreignBodies(probe, route)
  // The record is refused before its body is read, so that one with values is enough.
  for (const body of new Set([bodies.at(0) ?? {}, bodies.at(-1) ?? {}])) {
    const ids = await probe.foreignRecords(route)
    const [found, changes] = await observed(probe, () => send(probe.app, { client, route, ids, body }))
    findings.push(...changes, ...leaks(found))
    if (found.status < 400) findings.push(`returned status ${found.status} for a record of another tenant`)
    for (const { resource, param } of loads)
      await probe.app.within(() => deleteRecord(resource, ids.get(param) ?? 0, all))
    const missing = await send(probe.app, { client, route, ids, body })
    if (!isDeepStrictEqual(comparable(found), comparable(missing)))
      findings.push('answers differently for a record of another tenant and for a missing one')
  }
  return named(route, findings)
}

/** Asks for the insider's own records and lists, with values of the other tenant. */
async function probeOwnRecord(probe: Probe, route: ResourceRoute): Promise<string[]> {
  const findings: string[] = []
  const isRead = route.method === 'GET'
  const address = async () => addressOf(route, await probe.foreignRecords(route))
  const outsider = { client: probe.outsider, address }
  const variants = isRead ? await foreignQueries(probe, route, outsider) : ['']
  // The last body is empty. Only with it, the request may end the session.
  const client = await probe.client(route)
  for (const query of variants) {
    for (const body of await foreignBodies(probe, route)) {
      const ids = await probe.ownRecords(route)
      const current = await probe.app.within(() => withVersion(route, ids, body))
      const [answer, changes] = await observed(probe, () =>
        send(probe.app, { client, route, ids, body: current, query }),
      )
      const problems = [...changes, ...leaks(answer)]
      findings.push(...problems.map((problem) => (query === '' ? problem : `?${query} ${problem}`)))
    }
  }
  return named(route, findings)
}

/** Returns the body with the version of the record that the route loads: an outdated one would be rejected for itself. */
async function withVersion({ guards, resource }: ResourceRoute, ids: Ids, body: Row): Promise<Row> {
  const load = guards.filter(isLoad).find((guard) => guard.resource === resource)
  if (load === undefined || body['_version'] === undefined) return body
  const row = await loadRow(load.resource, ids.get(load.param) ?? 0)
  return { ...body, _version: String((row as Row | null)?.['version']) }
}

const named = ({ method, path }: ResourceRoute, findings: readonly string[]) =>
  [...new Set(findings)].map((finding) => `${method} ${path}: ${finding}`)

/** Sends a request, and compares the records of the other tenant before and after it. */
async function observed(
  probe: Probe,
  request: () => Promise<Answer>,
): Promise<[answer: Answer, changes: string[]]> {
  const before = await probe.mark()
  const answer = await request()
  return [answer, (await probe.digest()) === before ? [] : ['changed a record of another tenant']]
}
