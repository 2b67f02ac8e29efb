import { executor } from '../database/executor.ts'
import { anyTables } from '../rows/statements.ts'
import type { Query } from './list-source.ts'

/** The most results of a search or of filters that `foundRows` reads for a page. */
export const MOST_FOUND = 1_000

/**
 * Returns a query for the same rows that finds all of them before it orders or limits them: `with found as materialized`.
 *
 * For a page of 20 rows, Postgres otherwise expects to meet 20 results soon if it reads the table in the order of the
 * list, and reads the whole table if there are fewer. It has no statistics about words in texts over 1 kB, none for the
 * parameters of a generic plan, and none about a filter and a scope that exclude each other. Without an order and a
 * limit, it uses the indexes of searches and filters.
 */
export const foundRows = <Row>(rows: Query<Row>): Query<Row> =>
  anyTables(executor())
    .with(
      (found) => found('found').materialized(),
      () => rows as never,
    )
    .selectFrom('found' as never)
    .selectAll() as unknown as Query<Row>
