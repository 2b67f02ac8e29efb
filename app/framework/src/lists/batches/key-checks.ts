import { sql } from 'kysely'
import { type Column, columnsOf, regclass } from '../../database/columns.ts'
import { executor } from '../../database/executor.ts'
import { isDataException } from '../../database/sql-states.ts'
import type { Resource } from '../../resource/resource.ts'
import type { KeyText } from './walk-key.ts'

/** The columns of a key as the database has them, in the order of the key. */
export async function describeColumns(resource: Resource, columns: readonly string[]): Promise<Column[]> {
  const rows = await columnsOf(resource, columns)
  return columns.map((name) => {
    const found = rows.find((column) => column.name === name)
    if (found === undefined) throw new Error(`${resource.name} has no column ${name} to walk by.`)
    return found
  })
}

/** Throws unless no two rows can have the same place in this order, and every row has one. */
export async function checkUniqueKey(resource: Resource, columns: readonly string[]): Promise<void> {
  const order = columns.join(', ')
  for (const { name, isRequired } of await describeColumns(resource, columns)) {
    if (isRequired) continue
    throw new Error(
      `${resource.name} can't be walked by ${order}: ${name} may be null, and null has no place in an order. ` +
        'Declare it NOT NULL, or leave it out.',
    )
  }
  if (await isUnique(resource, columns)) return
  throw new Error(
    `${resource.name} can't be walked by ${order}: no unique index says that two rows never share it, and of those that ` +
      `do some would be lost. Add the primary key as the last column of the order, or a unique index on ${order}.`,
  )
}

// An index that compares under another collation may hold apart what this order takes for equal.
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

/** Throws a sentence for a bound that is no value of its column, before it is taken for a list that can't be read. */
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
      `A bound or position of this walk is no key of ${resource.name} (${types.join(', ')}): ${error.message}.`,
      { cause: error },
    )
  })
}
