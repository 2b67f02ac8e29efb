import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import type { Resource } from '../resource/resource.ts'
import { quotedTable } from './row-columns.ts'

/** Returns the columns of a resource that Postgres computes from the others: `generated always as (…) stored`. */
export async function computedColumns({ table, columns }: Resource): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${quotedTable(table)}) and attgenerated <> '' and attname = any(${columns}::text[])
    order by attnum`.execute(executor())
  return rows.map(({ name }) => name)
}
