import { withTenant } from '../src/database/tenant.ts'
import { httpSettings } from '../src/http/settings.ts'
import { allRows, listSource } from '../src/lists/list-source.ts'
import { listing } from '../src/lists/listing.ts'
import { fieldText } from '../src/resource/field-text.ts'
import { filterParams } from '../src/resource/list-filters.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import { MARK } from './foreign-rows.ts'
import type { ResourceRoute } from './route-records.ts'
import type { TestApp } from './test-app.ts'
import type { TestClient } from './test-client.ts'

type Row = Readonly<Record<string, unknown>>

/** The application, and the tenants of a probe. */
interface Tenants {
  app: TestApp
  own: RecordId
  foreign: RecordId
}

/** A search for the marked texts that doesn't contain the mark itself, since pages repeat it. */
const SEARCH = MARK.toUpperCase()

/**
 * Returns the bodies of a write: an empty one, and the values of an own record with the other tenant's references, with
 * its tenant, and with a search for its records. One empty body for a read.
 */
export async function foreignBodies(tenants: Tenants, route: ResourceRoute): Promise<Row[]> {
  const { resource, method, path } = route
  const empty = {}
  if (['GET', 'DELETE'].includes(method) || resource === null) return [empty]
  const row = await rowOf(tenants, resource, tenants.own)
  if (row === null) return [empty]
  const isApi = path.startsWith(`${httpSettings(tenants.app.app).apiPrefix}/`)
  const values = inputOf(resource, row, isApi)
  const references: Record<string, unknown> = {}
  const searches: Record<string, string> = {}
  for (const [column, target] of Object.entries(resource.references)) {
    const other = target.tenant === null ? null : await rowOf(tenants, target, tenants.foreign)
    if (other === null || !Object.hasOwn(resource.input.shape, column)) continue
    references[column] = other['id']
    searches[`_find_${column}`] = SEARCH
  }
  const named = resource.tenant === null ? {} : { [resource.tenant]: tenants.foreign }
  const bodies = [
    { ...values, ...references },
    { ...values, ...named },
  ]
  return [empty, ...bodies, ...(isApi ? [] : [{ ...values, ...searches }])]
}

/** Returns the values that a client may write, and the version that it read. */
function inputOf(resource: Resource, row: Row, isApi: boolean): Row {
  const columns = Object.keys(resource.input.shape).filter((column) => Object.hasOwn(row, column))
  const valueOf = (column: string) =>
    isApi ? row[column] : (fieldText(resource.input.shape[column] as never, row[column]) ?? '')
  return {
    ...Object.fromEntries(columns.map((column) => [column, valueOf(column)])),
    ...(resource.managed.version && { _version: String(row['version']) }),
  }
}

/**
 * Returns the queries of a list: the largest page, each order, a search for the other tenant's texts, each filter with a
 * value of the other tenant, and its cursor. The first query is empty.
 */
export async function foreignQueries(
  tenants: Tenants,
  { resource, path }: ResourceRoute,
  outsider: TestClient,
): Promise<string[]> {
  if (resource === null || path.includes(':')) return ['']
  const { sort, search, filters } = resource.lists
  const other = await rowOf(tenants, resource, tenants.foreign)
  const filtered = Object.entries(filters).flatMap(([column, filter]) =>
    filterParams(column, filter).map((param) => [param, other?.[column]] as const),
  )
  const values = filtered.filter(([, value]) => value !== null && value !== undefined)
  return [
    '',
    'size=100',
    'page=2&size=1',
    ...sort.flatMap((column) => [`sort=${column}&size=100`, `sort=-${column}&size=100`]),
    ...(search.length > 0 ? [`q=${SEARCH}`] : []),
    ...values.map(([param, value]) => String(new URLSearchParams([[param, String(value)]]))),
    ...(await cursors(outsider, path)),
  ]
}

/** Returns the queries with the cursors that a list shows to the user of the other tenant. */
async function cursors(outsider: TestClient, path: string): Promise<string[]> {
  const { text } = await outsider.get(`${path}?size=1&cursor=`)
  const tokens = [...text.matchAll(/cursor(?:=|":")([\w-]{4,})/g)].map(([, token = '']) => token)
  return [...new Set(tokens)].map((token) => `size=100&cursor=${token}`)
}

/** Returns a row of a tenant; null if it has none. For a resource without a tenant, any row. */
async function rowOf({ app }: Tenants, resource: Resource, tenant: RecordId): Promise<Row | null> {
  const [row] = await app.within(() =>
    withTenant(tenant, () => listing(listSource(resource, allRows(resource))).findAll()),
  )
  return (row as Row | undefined) ?? null
}
