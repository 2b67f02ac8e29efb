import { fieldText } from '../src/resource/fields/field-text.ts'
import { filterParams } from '../src/resource/list-filters.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { Row } from './all-records.ts'
import { MARK, rowOf, targetOf, type Tenants } from './foreign-rows.ts'
import type { Body } from './probe-requests.ts'
import { isApiRoute, isLoad, type ResourceRoute } from './route-records.ts'

/** A search for the marked texts that doesn't contain the mark itself, since pages repeat it. */
const SEARCH = MARK.toUpperCase()

/**
 * Returns the bodies of a write, each with one value of the other tenant: a reference, the tenant, or a search for its
 * records. The other values are those of an own record. The last body is empty. One empty body for a read.
 */
export async function foreignBodies(tenants: Tenants, route: ResourceRoute): Promise<Body[]> {
  const { resource, method } = route
  const empty = {}
  if (['GET', 'DELETE'].includes(method)) return [empty]
  if (resource === null) return [...(await bodiesOfUnknownFields(tenants)), empty]
  const row = await rowOf(tenants, resource, tenants.own)
  if (row === undefined) return [empty]
  const isApi = isApiRoute(tenants.app, route)
  const values = inputOf(resource, row, isApi)
  const bodies: Body[] = resource.tenant === null ? [] : [{ ...values, [resource.tenant]: tenants.foreign }]
  for (const [column, target] of Object.entries(resource.references)) {
    const id = await targetOf(tenants, resource, target)
    if (id === undefined || !Object.hasOwn(resource.input.shape, column)) continue
    bodies.push({ ...values, [column]: isApi && column in resource.joins ? [id] : id })
    if (!isApi) bodies.push({ ...values, [`_find_${column}`]: SEARCH })
  }
  return [...bodies, empty]
}

/**
 * Returns bodies for a route that belongs to no resource, whose fields are unknown: the ids of the other tenant's records
 * and its own id, by the names that forms and columns have. First all together, then each alone, since a route may
 * reject unknown fields.
 */
async function bodiesOfUnknownFields(tenants: Tenants): Promise<Body[]> {
  const resources = tenants.app.resources.map(({ repository }) => repository.resource)
  const fields: Record<string, unknown> = {}
  for (const resource of resources.filter(({ tenant }) => tenant !== null)) {
    const row = await rowOf(tenants, resource, tenants.foreign)
    if (row === undefined) continue
    const columns = resources.flatMap(({ references }) =>
      Object.keys(references).filter((column) => references[column] === resource),
    )
    for (const column of [idNameOf(resource), ...columns]) fields[column] = row.id
    fields[resource.tenant ?? ''] = tenants.foreign
  }
  const each = Object.entries(fields).map(([name, value]) => ({ [name]: value }))
  return each.length === 0 ? [] : [fields, ...each]
}

/** Returns `blog_post_id` for `BlogPost`. */
const idNameOf = ({ name }: Resource): string =>
  `${name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()}_id`

/** Returns the values that a client may write, and the version that it read. */
function inputOf(resource: Resource, row: Row, isApi: boolean): Body {
  const columns = Object.keys(resource.input.shape).filter((column) => Object.hasOwn(row, column))
  const valueOf = (column: string) =>
    isApi ? row[column] : (fieldText(resource.input.shape[column] as never, row[column]) ?? '')
  return {
    ...Object.fromEntries(columns.map((column) => [column, valueOf(column)])),
    ...(resource.managed.version && { _version: String(row['version']) }),
  }
}

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
