import type { z } from 'zod'
import { type ListUrl, listParams, type OfList } from '../pagination/list-param.ts'
import type { ListColumns } from '../resource/list-columns.ts'
import { boundParams, type FilterKind, filterKind, type FilterValue } from '../resource/list-filters.ts'
import type { Resource } from '../resource/resource.ts'
import { isStorableText } from '../resource/fields/storable-text.ts'

/** A column of an order, and its direction. */
interface SortTerm<Column extends string = string> {
  readonly column: Column
  readonly dir: 'asc' | 'desc'
}

declare const listed: unique symbol

/** A list that can be sorted and filtered by these columns. */
export interface ListOf<Lists extends ListColumns> {
  readonly [listed]?: Lists
}

/** The sorting, search and filters of a list, as `listQuery` returns them: only those that the resource declares. */
export interface ListQuery<R extends Resource = Resource> extends ListOf<R['lists']> {
  /** The column to sort by; null for the order of the list. */
  readonly sort: R['lists']['sort'][number] | null
  readonly dir: 'asc' | 'desc'
  /** The columns that sort the rows with the same value in `sort`. Omitted for an order by one column. */
  readonly thenBy?: readonly SortTerm<R['lists']['sort'][number]>[]
  /** The words of the search, separated by spaces; empty without a search. */
  readonly q: string
  readonly filters: {
    readonly [C in keyof R['lists']['filters']]?: FilterValue<R['lists']['filters'][C]>
  }
}

const MAX_SEARCH_LENGTH = 200
const MAX_WORDS = 10

/**
 * Reads `sort`, `dir`, `q` and the filters of a resource from the URL. With `{ prefix: 'comments' }`, reads
 * `comments_sort` and so on. `sort=-created_at,title` sorts by several columns, descending for those with a minus; `dir`
 * is the direction of those without. Ignores columns and filters that the resource doesn't declare, and truncates the search
 * after 200 characters and 10 words. Never throws.
 *
 * ```ts
 * await posts.visibleTo(ctx).page(pageRequest(req), { query: listQuery(req, Post) })
 * ```
 */
export function listQuery<R extends Resource>(req: ListUrl, { lists }: R, list?: OfList): ListQuery<R> {
  const params = listParams(req, list)
  // Texts that Postgres can't store are ignored, because they match no row.
  const values = (name: string) =>
    params(name)
      .filter((text) => text !== '' && isStorableText(text))
      .toReversed()
  const dir = values('dir').find(isDirection) ?? 'asc'
  const orders = values('sort').map((text) =>
    sortTerms(text, dir).filter(({ column }) => lists.sort.includes(column)),
  )
  const [first, ...thenBy] = orders.find(({ length }) => length > 0) ?? []
  return Object.freeze({
    sort: first?.column ?? null,
    dir: first?.dir ?? 'desc',
    ...(thenBy.length > 0 && { thenBy: Object.freeze(thenBy) }),
    q: lists.search.length === 0 ? '' : (values('q').map(searchWords).find(Boolean) ?? ''),
    filters: Object.freeze(readFilters(lists.filters, values)),
  }) as ListQuery<R>
}

const isDirection = (text: string) => text === 'asc' || text === 'desc'

/** Returns the terms of an order such as `-created_at,title`. Only the first term of a column has an effect. */
function sortTerms(text: string, dir: 'asc' | 'desc'): SortTerm[] {
  const terms = new Map<string, SortTerm>()
  for (const term of text.split(',')) {
    const column = term.replace(/^-/, '')
    if (!terms.has(column)) terms.set(column, Object.freeze({ column, dir: term === column ? dir : 'desc' }))
  }
  return [...terms.values()]
}

/** Returns the words of a search, separated by spaces. */
export function searchWords(text: string): string {
  const start = Array.from(text.trim().slice(0, 2 * MAX_SEARCH_LENGTH))
    .slice(0, MAX_SEARCH_LENGTH)
    .join('')
  return start.trim().split(/\s+/u).slice(0, MAX_WORDS).join(' ')
}

function readFilters(declared: Resource['lists']['filters'], texts: (name: string) => string[]) {
  const filters: Record<string, unknown> = {}
  for (const [column, filter] of Object.entries(declared)) {
    const schema = 'kind' in filter ? filter.schema : filter
    const validValues = (name: string) => texts(name).flatMap((text) => valid(schema, text))
    const value = READERS[filterKind(filter)](column, validValues)
    if (value !== undefined) filters[column] = value
  }
  return filters
}

/** Returns the value of a filter, or undefined without one. `validValues` returns the last value of a parameter first. */
type FilterReader = (column: string, validValues: (name: string) => unknown[]) => unknown

const READERS: Readonly<Record<FilterKind, FilterReader>> = {
  one: (column, validValues) => validValues(column)[0],
  several: allValues,
  all: allValues,
  range(column, validValues) {
    const params = boundParams(column)
    const [from] = validValues(params.from)
    const [to] = validValues(params.to)
    if (from === undefined && to === undefined) return undefined
    return Object.freeze({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  },
}

function allValues(column: string, validValues: (name: string) => unknown[]) {
  const values = [...new Set(validValues(column).toReversed())]
  return values.length === 0 ? undefined : Object.freeze(values)
}

/** Returns the value of a text in a list, which is empty for an invalid text. */
function valid(schema: z.ZodType, text: string): unknown[] {
  const { success, data } = schema.safeParse(text)
  return success && data !== undefined ? [data] : []
}
