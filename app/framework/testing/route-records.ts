import type { LoadGuard } from '../src/policy/load.ts'
import { loadRow } from '../src/rows/rows.ts'
import type { Guard, ListedRoute } from '../src/http/routes/route-types.ts'
import { listRoutes } from '../src/http/routes/routes.ts'
import { httpSettings } from '../src/http/settings.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import { allRecords } from './all-records.ts'
import type { TestApp, TestUser } from './test-app.ts'

/**
 * Functions that create a record for `probe` and the attacks, by the name of the resource or, for a route without one,
 * by its path (`/account/sessions/:id`). The record must belong to `owner`. For a resource without a function, the
 * records of its seed are used.
 */
export type Makers = Readonly<Record<string, (owner: TestUser) => Promise<{ id: RecordId }>>>

/** A route, and the resource that its table belongs to. */
export interface ResourceRoute extends ListedRoute {
  /** The resource of the route's table, or null. */
  resource: Resource | null
}

/** Returns every route of the application with its resource. */
export function resourceRoutes({ routes, resources }: TestApp): ResourceRoute[] {
  const resourceOf = ({ table }: ListedRoute) =>
    resources.find(
      ({ repository: { options }, routes = {} }) =>
        Object.values(routes).includes(table) || table.base === options.api,
    )?.repository.resource ?? null
  return listRoutes(routes).map((route) => ({ ...route, resource: resourceOf(route) }))
}

/** The ids of records by the parameters of a path. */
export type Ids = ReadonlyMap<string, RecordId>

/**
 * Returns a function that creates a record of `owner` for each parameter of a route's path, and returns their ids by
 * parameter. If `load` reads a record by the parameter, it is a record of that resource, else of the route's resource. If
 * `load` requires a parent (`below`), the parent's parameter gets the id from the loaded record.
 */
export function recordMaker({ resources }: TestApp, owner: TestUser, makers: Makers) {
  const seeded = seededIds(resources, owner)
  return async (route: ResourceRoute): Promise<Ids> => {
    const ids = new Map<string, RecordId>()
    const loads = route.guards.filter(isLoad)
    for (const [, param = ''] of route.path.matchAll(/:(\w+)/g)) {
      const load = loads.find((guard) => guard.param === param)
      const name = load?.resource.name ?? route.path
      const maker = makers[name] ?? makers[route.resource?.name ?? '']
      const id = maker === undefined ? await seeded(name) : (await maker(owner)).id
      if (id === null)
        throw new Error(`${nameOf(route)} has no record to probe. Pass a maker: { '${name}': (owner) => … }.`)
      ids.set(param, id)
    }
    for (const load of loads) await addParents(ids, load, route)
    return ids
  }
}

async function addParents(
  ids: Map<string, RecordId>,
  { resource, param, below }: LoadGuard,
  route: ResourceRoute,
): Promise<void> {
  const row = (await loadRow(resource, ids.get(param) ?? 0)) as Readonly<Record<string, RecordId>> | null
  if (row === null)
    throw new Error(`${nameOf(route)}: the maker of ${resource.name} returned an id without a record.`)
  for (const [column, parent] of Object.entries(below)) ids.set(parent, row[column] ?? 0)
}

/**
 * Returns a function that returns the id of the next seeded record of a resource; null if its seed creates no records.
 */
function seededIds(resources: TestApp['resources'], owner: TestUser) {
  let turn = 0
  return async (name: string): Promise<RecordId | null> => {
    const declared = resources.find(({ repository }) => repository.resource.name === name)
    if (declared?.seed === undefined) return null
    const { resource } = declared.repository
    // The requests of the probe may have deleted all records.
    if ((await allRecords(resource)).length === 0) await declared.seed([owner.id])
    const rows = await allRecords(resource)
    return rows[turn++ % rows.length]?.id ?? null
  }
}

/** Returns the path of a route with these ids. */
export const addressOf = ({ path }: ListedRoute, ids: Ids): string =>
  path.replaceAll(/:(\w+)/g, (_, param: string) => String(ids.get(param)))

/** Returns whether a route belongs to a JSON API. */
export const isApiRoute = ({ app }: TestApp, { path }: ListedRoute): boolean =>
  path.startsWith(`${httpSettings(app).apiPrefix}/`)

export const nameOf = ({ method, path }: ListedRoute): string => `${method} ${path}`

/** Returns whether a guard loads a record. */
export const isLoad = (guard: Guard): guard is LoadGuard => guard.kind === 'load'
