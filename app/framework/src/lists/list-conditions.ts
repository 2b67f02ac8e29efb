import type { Expression, SqlBool } from 'kysely'
import type { Narrowing } from '../policy/narrowing.ts'
import { enclosed } from '../rows/enclosed.ts'
import type { SortKey } from '../pagination/keyset.ts'
import type { ListState } from '../pagination/list-state.ts'
import type { Resource } from '../resource/resource.ts'
import type { ListQuery } from './list-query.ts'
import { type ListedColumns, matching } from './query-conditions.ts'
import { IS } from '../rows/statements.ts'

interface Filters {
  where: unknown
  query: ListQuery | undefined
}

/** Returns the conditions of a list besides its scope: `where`, and the search and the filters of the request. */
export const filterConditions = (
  resource: Resource,
  { where, query }: Filters,
  listed: ListedColumns,
): Expression<SqlBool>[] => [
  ...(where === undefined ? [] : [enclosed((where as Narrowing)(IS))]),
  ...(query !== undefined && narrows(query) ? [matching(resource, query, listed)] : []),
]

/** Returns the query without its order and its filters by these columns, and without a search of nothing else. */
export function withoutColumns(
  { lists }: Resource,
  query: ListQuery | undefined,
  columns: readonly string[],
): ListQuery | undefined {
  if (query === undefined || columns.length === 0) return query
  const { sort, dir, thenBy = [], ...rest } = query
  const terms = sort === null ? [] : [{ column: sort, dir }, ...thenBy]
  const [first, ...others] = terms.filter(({ column }) => !columns.includes(column))
  const filters = Object.entries(query.filters).filter(([column]) => !columns.includes(column))
  return {
    ...rest,
    q: lists.search.every((column) => columns.includes(column)) ? '' : query.q,
    sort: first?.column ?? null,
    dir: first?.dir ?? 'desc',
    thenBy: others,
    filters: Object.fromEntries(filters),
  }
}

interface Applied {
  query: ListQuery | undefined
  order: readonly SortKey[]
  unlisted: readonly string[]
}

/** Returns the state of a list for its headings and its search form. */
export function stateOf({ lists }: Resource, { query, order, unlisted }: Applied): ListState {
  const [first] = order
  return {
    sort: first?.column ?? null,
    dir: first?.direction ?? 'desc',
    q: query?.q ?? '',
    filters: (query?.filters ?? {}) as ListState['filters'],
    controls: lists.controls.filter(({ name }) => !unlisted.includes(name)),
  }
}

/** Returns whether a query has a search or filters. Otherwise it must not change the SQL and thus `filterText`. */
export const narrows = (query: ListQuery | undefined) =>
  query !== undefined && (query.q !== '' || Object.keys(query.filters).length > 0)
