import { filterControls, type FilterField } from './filter-controls.ts'
import { filterParams, type ListFilter } from './list-filters.ts'
import type { ColumnOf, Stored, TableName } from './tables.ts'

/** The columns that lists can be sorted, searched and filtered by. They reveal values, so no column may be hidden. */
export interface ListColumns<
  Sort extends string = string,
  Filters extends Readonly<Record<string, ListFilter>> = Readonly<Record<string, ListFilter>>,
> {
  readonly sort: readonly Sort[]
  /** The columns that `?q=` searches. */
  readonly search: readonly string[]
  /** The filters by column, with the schemas that read their values from the URL. */
  readonly filters: Filters
  /** The controls of the filters that have a label. */
  readonly controls: readonly FilterField[]
}

type Shown<T extends TableName, Hidden extends string> = Exclude<ColumnOf<T>, Hidden>
type TextColumn<T extends TableName> = {
  [C in keyof Stored<T> & string]: Stored<T>[C] extends string | null ? C : never
}[keyof Stored<T> & string]

/** A filter of a list of ids reads one id. */
type OneOf<Value> = Value extends readonly (infer One)[] ? One : Value

/** The options of a resource for its lists. */
export interface ListColumnOptions<
  T extends TableName,
  Hidden extends string,
  Sort extends string,
  Filters extends Readonly<Record<string, ListFilter>>,
> {
  /** The columns that `?sort=` accepts. */
  sort?: readonly (Sort & Shown<T, Hidden>)[]
  /** The columns that `?q=` searches for its words, ignoring case. */
  search?: readonly (Shown<T, Hidden> & TextColumn<T>)[]
  /**
   * `?column=` filters by the value that the schema returns. Invalid values are ignored. The schema must reject values
   * that the column can't hold, such as `2026-02-30` for a date: Postgres would fail on them. `filter.several(schema)`
   * accepts several values, and `filter.range(schema)` a lower and an upper bound. A label adds a control to search
   * forms: `filter.range(schema, { label: 'Due' })`.
   */
  filters?: Filters & {
    [C in keyof Filters]: C extends Shown<T, Hidden>
      ? ListFilter<OneOf<Stored<T>[C & keyof Stored<T>]>>
      : never
  }
}

/** The parameters of lists, which can't be filters. */
const RESERVED = ['page', 'size', 'cursor', 'sort', 'dir', 'q']

/**
 * Throws for a column that rows don't contain, for a filter with the name of a list parameter, and for two with the same
 * parameter.
 */
export function listColumns<Sort extends string, Filters extends Readonly<Record<string, ListFilter>>>(
  name: string,
  {
    sort,
    search,
    filters,
    references,
  }: Omit<ListColumns<Sort, Filters>, 'controls'> & { references: object },
  shown: readonly string[],
): ListColumns<Sort, Filters> {
  const columns = [...sort, ...search, ...Object.keys(filters)]
  const secret = columns.find((column) => !shown.includes(column))
  if (secret !== undefined)
    throw new Error(
      `${name}: no row contains '${secret}', and a list by this column would reveal its values. Add it to columns, or remove it ` +
        'from sort, search and filters.',
    )
  const params = Object.entries(filters).flatMap(([column, filter]) => filterParams(column, filter))
  const reserved = params.find((param) => RESERVED.includes(param))
  if (reserved !== undefined)
    throw new Error(
      `${name}: ?${reserved}= is a parameter of every list. Filter by a column with another name.`,
    )
  const repeated = params.find((param, index) => params.indexOf(param) < index)
  if (repeated !== undefined) throw new Error(`${name}: two filters read ?${repeated}=. Remove one of them.`)
  return Object.freeze({ sort, search, filters, controls: filterControls(name, filters, references) })
}
