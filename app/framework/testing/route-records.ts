import type { LoadGuard } from '../src/policy/load.ts'
import { loadRow } from '../src/rows/rows.ts'
import type { Guard, ListedRoute } from '../src/http/routes/route-types.ts'
import { listRoutes } from '../src/http/routes/routes.ts'
import { allRows, listSource } from '../src/lists/list-source.ts'
import { listing } from '../src/lists/listing.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
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

/** The source of a route's records. */
export interface RecordSource {
  owner: TestUser
  makers: Makers
  seeded: ReturnType<typeof seededIds>
}

/** The ids of records by the parameters of a path. */
export type Ids = ReadonlyMap<string, RecordId>

/**
 * Creates a record for each parameter of the path and returns their ids by parameter. If `load` reads a record by the
 * parameter, it is a record of that resource, else of the route's resource. If `load` requires a parent (`below`), the
 * parent's parameter gets the id from the loaded record.
 */
export async function makeRecords(
  target: ResourceRoute,
  { owner, makers, seeded }: RecordSource,
): Promise<Ids> {
  const ids = new Map<string, RecordId>()
  const loads = target.guards.filter(isLoad)
  for (const [, param = ''] of target.path.matchAll(/:(\w+)/g)) {
    const load = loads.find((guard) => guard.param === param)
    const name = load?.resource.name ?? target.path
    const maker = makers[name] ?? makers[target.resource?.name ?? '']
    const id = maker === undefined ? await seeded(name) : (await maker(owner)).id
    if (id === null)
      throw new Error(
        `${target.method} ${target.path} has no record to probe. Pass a maker: { '${name}': (owner) => … }.`,
      )
    ids.set(param, id)
  }
  for (const { resource, param, below } of loads) {
    const row = await loadRow(resource, ids.get(param) ?? 0)
    if (row === null)
      throw new Error(
        `${target.method} ${target.path}: the maker of ${resource.name} returned an id without a record.`,
      )
    for (const [column, parent] of Object.entries(below))
      ids.set(parent, (row as Record<string, RecordId>)[column] ?? 0)
  }
  return ids
}

/**
 * Returns a function that returns the id of the next seeded record of a resource; null if its seed creates no records.
 */
export function seededIds({ resources }: TestApp, owner: TestUser) {
  let turn = 0
  return async (name: string): Promise<RecordId | null> => {
    const declared = resources.find(({ repository }) => repository.resource.name === name)
    if (declared?.seed === undefined) return null
    const { resource } = declared.repository
    const list = listing(listSource(resource, allRows(resource)))
    // The requests of the probe may have deleted all records.
    if ((await list.count()) === 0) await declared.seed([owner.id])
    const rows = await list.findAll()
    const row = rows[turn++ % rows.length] as { id: RecordId } | undefined
    return row?.id ?? null
  }
}

/** Returns whether a guard loads a record. */
export const isLoad = (guard: Guard): guard is LoadGuard => guard.kind === 'load'
