import { filterParams } from '../src/resource/list-filters.ts'
import type { Resource } from '../src/resource/resource.ts'
import { SEARCH } from './foreign-bodies.ts'
import { rowOf, type Tenants } from './foreign-rows.ts'
import { isLoad, type ResourceRoute } from './route-records.ts'

/**
 * Returns the queries of a page that may be a list: the largest page, each order, a search for the other tenant's texts,
 * and each filter with a value of the other tenant. The first query is empty, and the only one for the page of a record.
 */
export async function foreignQueries(tenants: Tenants, route: ResourceRoute): Promise<string[]> {
  if (/\/:\w+$/.test(route.path)) return ['']
  const queries = ['', 'size=100', 'page=2&size=1', `q=${SEARCH}`]
  for (const resource of listedBy(tenants, route)) queries.push(...(await queriesOf(tenants, resource)))
  return [...new Set(queries)]
}

/** Returns the resource of a route, and those that refer to a record in its path, such as `/groves/:id/trees`. */
function listedBy({ app }: Tenants, { resource, guards }: ResourceRoute): Resource[] {
  const loaded = guards.filter(isLoad).map((load) => load.resource)
  const children = app.resources
    .map(({ repository }) => repository.resource)
    .filter(({ references }) => Object.values(references).some((target) => loaded.includes(target)))
  return [...new Set([...(resource === null ? [] : [resource]), ...children])]
}

async function queriesOf(tenants: Tenants, resource: Resource): Promise<string[]> {
  const { sort, filters } = resource.lists
  const other = await rowOf(tenants, resource, tenants.foreign)
  const filtered = Object.entries(filters).flatMap(([column, filter]) =>
    filterParams(column, filter).map((param) => [param, other?.[column]] as const),
  )
  const values = filtered.filter(([, value]) => value !== null && value !== undefined)
  return [
    ...sort.flatMap((column) => [`sort=${column}&size=100`, `sort=-${column}&size=100`]),
    ...values.map(([param, value]) => String(new URLSearchParams([[param, String(value)]]))),
  ]
}
