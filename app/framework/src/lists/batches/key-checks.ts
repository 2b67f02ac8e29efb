import { sql } from 'kysely'
import { type Column, columnsOf, regclass } from '../../database/table-columns.ts'
import { executor } from '../../database/executor.ts'
import { isDataException } from '../../database/sql-states.ts'
import type { Resource } from '../../resource/resource.ts'
import type { KeyText } from './walk-key.ts'

/** Returns the columns of a key with their types, in the order of the key. */
export async function describeColumns(resource: Resource, columns: readonly string[]): Promise<Column[]> {
  const rows = await columnsOf(resource, columns)
  return columns.map((name) => {
    const found = rows.find((column) => column.name === name)
    if (found === undefined) throw new Error(`${resource.name} has no column ${name} to order a walk by.`)
    return found
  })
}

/** Throws unless the columns are NOT NULL and contain all columns of a unique index. */
export async function checkUniqueKey(resource: Resource, columns: readonly string[]): Promise<void> {
  const order = columns.join(', ')
  for (const { name, isRequired } of await describeColumns(resource, columns)) {
    if (isRequired) continue
    throw new Error(
      `${resource.name} can't be walked by ${order}: ${name} is nullable, and rows with NULL would be skipped. ` +
        'Declare it NOT NULL, or leave it out.',
    )
  }
  if (await isUnique(resource, columns)) return
  throw new Error(
    `${resource.name} can't be walked by ${order}: no unique index covers it, and rows ` +
      `with equal values could be skipped. Add the primary key as the last column of the order, or a unique index on ${order}.`,
  )
}

// A unique index under another collation doesn't count: it may distinguish texts that are equal in this order.
async function isUnique(resource: Resource, columns: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from pg_index
      where indrelid = ${regclass(resource)} and indisunique and indisvalid and indimmediate
        and indpred is null and indexprs is null
        and not exists (
          select from generate_series(0, indnkeyatts - 1) as place
          join pg_attribute on attrelid = indrelid and attnum = indkey[place]
          where attname <> all(${columns}) or attcollation <> indcollation[place]
        )
    ) as found`.execute(executor())
  return rows[0]?.found ?? false
}

/** Throws if a bound is not a value of its column, before the list's query would fail on it. */
export async function checkBounds(
  resource: Resource,
  columns: readonly string[],
  bounds: readonly KeyText[],
): Promise<void> {
  const types = (await describeColumns(resource, columns)).map(({ type }) => type)
  const casts = bounds.flatMap((key) =>
    types.map((type, place) => sql`cast(${key[place]}::text as ${sql.raw(type)})`),
  )
  await sql`select ${sql.join(casts)}`.execute(executor()).catch((error: unknown) => {
    if (!isDataException(error)) throw error
    throw new Error(
      `A bound or position of this walk is not a key of ${resource.name} (${types.join(', ')}): ${error.message}.`,
      { cause: error },
    )
  })
}
