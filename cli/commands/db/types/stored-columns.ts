import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'

/** A column of the database. */
export interface StoredColumn {
  /** The name in code. Contains the schema only if it is not the current schema. */
  readonly table: string
  readonly column: string
  /** The type, like `int8` or `timestamptz`: the element type of an array, or the base type of a domain. */
  readonly type: string
  readonly is_array: boolean
  readonly nullable: boolean
  /** Whether the column has a default or is an identity column, so that an insert may omit it. */
  readonly has_default: boolean
  /** Whether the column is generated, so that it can't be written. */
  readonly is_generated: boolean
  /** The values of an enum or of a check constraint that lists them; null if any value is allowed. */
  readonly values: readonly string[] | null
}

interface Row extends Omit<StoredColumn, 'values'> {
  labels: string[] | null
  checks: string[]
}

/** Returns the columns of every table of the application and the framework, in order. */
export async function storedColumns(db: Kysely<Tables>): Promise<StoredColumn[]> {
  const { rows } = await sql<Row>`
    select case relnamespace when current_schema()::regnamespace then relname::text
        else relnamespace::regnamespace::text || '.' || relname end as table,
      attname::text as column, coalesce(element.typname, base.typname)::text as type,
      element.oid is not null as is_array, not (attnotnull or type.typnotnull) as nullable,
      atthasdef or attidentity <> '' as has_default, attgenerated <> '' as is_generated,
      (select array_agg(enumlabel::text order by enumsortorder) from pg_enum where enumtypid = base.oid) as labels,
      array(select pg_get_constraintdef(oid) from pg_constraint
        where conrelid = pg_class.oid and contype = 'c' and conkey = array[attnum]) as checks
    from pg_class join pg_attribute on attrelid = pg_class.oid
      join pg_type type on type.oid = atttypid
      join pg_type base on base.oid = case type.typtype when 'd' then type.typbasetype else type.oid end
      left join pg_type element on element.oid = base.typelem and base.typcategory = 'A'
    where relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
      and relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
      and relname not in ('kysely_migration', 'kysely_migration_lock', 'migration_columns')
    order by relname, attnum`.execute(db)
  return rows.map(({ labels, checks, ...column }) => ({ ...column, values: labels ?? listedIn(checks) }))
}

/** Matches a check whose only condition is a list: `CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text])))`. */
const LISTED =
  /^CHECK \(\(+\S+ = ANY \(\(?ARRAY\[((?:'(?:[^']|'')*'::[\w ".]+(?:, )?)+)\](?:\)::\w+\[\])?\)+(?: NOT VALID)?$/

function listedIn(checks: readonly string[]): string[] | null {
  const [list] = checks.flatMap((check) => LISTED.exec(check)?.[1] ?? [])
  const values = list?.matchAll(/'((?:[^']|'')*)'/g).map(([, one = '']) => one.replaceAll("''", "'"))
  return values?.toArray() ?? null
}
