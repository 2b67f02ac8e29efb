import { Client } from 'pg'

/** Returns the schema of a database: one sorted line per table, column, constraint, index and type of the public schema. */
export async function catalogOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ line: string }>(CATALOG)
    return rows.map(({ line }) => line).toSorted()
  } finally {
    await client.end()
  }
}

// Lists columns by name: a column that is dropped and added again gets another number.
const CATALOG = `
  with tables as (
    select oid, relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
  )
  select format('relation %s', relname) as line from tables
  union all
  select format('column %s.%s %s%s default %s %s%s', relname, attname, format_type(atttypid, atttypmod),
                case when attnotnull then ' not null' end, pg_get_expr(adbin, adrelid), attidentity, attgenerated)
    from tables join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all
  select format('constraint %s.%s %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
    from tables join pg_constraint on conrelid = tables.oid
  union all
  select format('index %s', indexdef) from pg_indexes where schemaname = 'public'
  union all
  select format('type %s', typname) from pg_type
    where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
`
