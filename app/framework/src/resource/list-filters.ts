import type { Expression, SqlBool } from 'kysely'
import type { z } from 'zod'

/** The control of a filter in search forms. Without it, the filter is only a parameter of the URL. */
export interface FilterControl {
  readonly label: string
  /** The texts of the values. Defaults to the values of an enum, and to yes and no. */
  readonly options?: Readonly<Record<string, string>>
}

/** The kind of a filter; `one` for the schema of one value. */
export type FilterKind = 'one' | 'several' | 'all' | 'range'

/** A filter as the functions of `filter` return it. */
interface DeclaredFilter<Kind extends FilterKind, Schema extends z.ZodType> {
  readonly kind: Kind
  readonly schema: Schema
  readonly control?: FilterControl | undefined
  /** Returns the condition of a column that is not compared by equality, such as an array. */
  readonly condition?: (column: string, value: unknown) => Expression<SqlBool>
}

/** A filter of a list: the schema of one value, or the result of a function of `filter`. */
export type ListFilter<Value = unknown> =
  | z.ZodType<Value>
  | DeclaredFilter<'one' | 'several' | 'all', z.ZodType<Value>>
  | DeclaredFilter<'range', z.ZodType<NonNullable<Value>>>

/** The bounds of a range. Both belong to it. */
export interface Range<Value> {
  readonly from?: Value
  readonly to?: Value
}

/** The value of a filter in a list query. */
export type FilterValue<Filter extends ListFilter> =
  Filter extends DeclaredFilter<'several' | 'all', infer Schema>
    ? readonly z.output<Schema>[]
    : Filter extends DeclaredFilter<'range', infer Schema>
      ? Range<z.output<Schema>>
      : Filter extends DeclaredFilter<'one', infer Schema>
        ? z.output<Schema>
        : Filter extends z.ZodType
          ? z.output<Filter>
          : never

/**
 * Filters of lists, besides a plain schema for one value. The schema reads one value or one bound, and invalid ones are
 * ignored. A filter with a label has a control in `it.searchForm`.
 *
 * ```ts
 * filters: {
 *   published: filter.one(z.stringbool(), { label: 'State', options: { true: 'Published', false: 'Drafts' } }),
 *   state: filter.several(field.enum(['draft', 'in_print']), { label: 'State' }), // ?state=draft&state=in_print
 *   printed_on: filter.range(field.date()), // ?printed_on_from=2026-04-01&printed_on_to=2026-04-30
 * }
 * ```
 */
export const filter = {
  /** Returns a filter that a row passes if its column has the value. */
  one: <Schema extends z.ZodType>(schema: Schema, control?: FilterControl): DeclaredFilter<'one', Schema> =>
    Object.freeze({ kind: 'one', schema, control }),
  /** Returns a filter that a row passes if its column has one of the values. */
  several: <Schema extends z.ZodType>(
    schema: Schema,
    control?: FilterControl,
  ): DeclaredFilter<'several', Schema> => Object.freeze({ kind: 'several', schema, control }),
  /** Returns a filter that a row passes if its list of ids has all of the values: see `joinTable`. */
  all: <Schema extends z.ZodType>(schema: Schema, control?: FilterControl): DeclaredFilter<'all', Schema> =>
    Object.freeze({ kind: 'all', schema, control }),
  /**
   * Returns a filter that a row passes if its column is between the bounds, or equal to one. Use the field of the
   * column's type: a date as the upper bound of a timestamp is the beginning of that day.
   */
  range: <Schema extends z.ZodType<string | number | bigint>>(
    schema: Schema,
    control?: Pick<FilterControl, 'label'>,
  ): DeclaredFilter<'range', Schema> => Object.freeze({ kind: 'range', schema, control }),
} as const

export const filterKind = (declared: ListFilter): FilterKind => ('kind' in declared ? declared.kind : 'one')

/** Returns the parameters of a range: `{ from: 'due_from', to: 'due_to' }` for `due`. The search form uses the same names. */
export const boundParams = (column: string) => ({ from: `${column}_from`, to: `${column}_to` })

/** Returns the names of the parameters that a filter reads. */
export const filterParams = (column: string, declared: ListFilter): string[] =>
  filterKind(declared) === 'range' ? Object.values(boundParams(column)) : [column]
