import type { z } from 'zod'
import type { ColumnOf, Stored, TableName } from './tables.ts'

/** The columns by which whoever sees a list may arrange it. Sorting by a column tells its values, so no hidden one is among them. */
export interface ListColumns<
  Sort extends string = string,
  Filters extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
> {
  readonly sort: readonly Sort[]
  /** Where the words of a search are looked for. */
  readonly search: readonly string[]
  /** How the text of an address becomes a value of the column. */
  readonly filters: Filters
}

type Shown<T extends TableName, Hidden extends string> = Exclude<ColumnOf<T>, Hidden>
type TextColumn<T extends TableName> = {
  [C in keyof Stored<T> & string]: Stored<T>[C] extends string | null ? C : never
}[keyof Stored<T> & string]

/** What a resource may declare of it. */
export interface ListColumnOptions<
  T extends TableName,
  Hidden extends string,
  Sort extends string,
  Filters extends Readonly<Record<string, z.ZodType>>,
> {
  /** `?sort=` and `?dir=` know these columns. */
  sort?: readonly (Sort & Shown<T, Hidden>)[]
  /** `?q=` looks for its words in these columns, whatever their case. */
  search?: readonly (Shown<T, Hidden> & TextColumn<T>)[]
  /**
   * `?column=` keeps the rows whose value is the one that the schema reads; what it refuses is ignored. Let it accept
   * nothing that the column doesn't take: a date or a uuid that is none is no text like another.
   */
  filters?: Filters & {
    [C in keyof Filters]: C extends Shown<T, Hidden> ? z.ZodType<Stored<T>[C & keyof Stored<T>]> : never
  }
}

/** Parameters of lists that mean something else. */
const TAKEN = ['page', 'size', 'cursor', 'sort', 'dir', 'q']

/** Throws for a hidden column, and for a filter whose parameter means something else. */
export function listColumns<Lists extends ListColumns>(
  name: string,
  { sort, search, filters }: Lists,
  hidden: readonly string[],
): Lists {
  const columns = [...sort, ...search, ...Object.keys(filters)]
  const secret = columns.find((column) => hidden.includes(column))
  if (secret !== undefined)
    throw new Error(
      `${name}: '${secret}' is hidden, and lists by it would tell its values. Take it out of sort, search and filters.`,
    )
  const taken = Object.keys(filters).find((column) => TAKEN.includes(column))
  if (taken !== undefined)
    throw new Error(
      `${name}: ?${taken}= means something else in lists. A filter needs a column of another name.`,
    )
  return Object.freeze({ sort, search, filters }) as Lists
}
