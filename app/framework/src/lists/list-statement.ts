import type { Expression, RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../resource/resource.ts'
import type { Query } from './list-source.ts'

type Stored = Record<string, unknown>
export type AnyNumber = number | RawBuilder<number>

/** The parts of a statement that differ between requests. */
interface Parts<Numeric> {
  /** The condition for this caller and this request. */
  readonly condition: Expression<SqlBool>
  /** The numbers of the statement, such as its limit. */
  readonly numbers: readonly Numeric[]
}

export interface ListStatement extends Parts<number> {
  readonly resource: Resource
  /** Identifies what `build` returns for this resource, apart from the parts. Null if it has other values. */
  readonly shape: string | null
  /** Returns the query. Uses each of the numbers. */
  build(parts: Parts<AnyNumber>): Query<Stored>
  /** Whether many requests send these numbers. */
  readonly isFrequent?: boolean
}

/** How the statement of a list is executed. `speed/` replaces it: statements of the same shape are built once. */
export const lists: { execute: (statement: ListStatement) => Promise<Stored[]> } = {
  execute: (statement) => statement.build(statement).execute(),
}
