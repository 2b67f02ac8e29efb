import type { FilterField } from '../resource/filter-controls.ts'

/** The order, the search and the filters of a list: of a page of a repository, or as `listQuery` returns them. */
export interface ListState {
  readonly sort: string | null
  readonly dir: 'asc' | 'desc'
  readonly q: string
  readonly filters: Readonly<Record<string, Scalar | readonly Scalar[] | Bounds>>
  /** The controls of its filters. */
  readonly controls?: readonly FilterField[]
}

export type Scalar = string | number | boolean | null | undefined

/** The bounds of a range. */
interface Bounds {
  readonly from?: Scalar
  readonly to?: Scalar
}

export const isBounds = (value: ListState['filters'][string]): value is Bounds =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
