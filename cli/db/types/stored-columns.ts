import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'

/** A column as the database has it. */
export interface StoredColumn {
  /** As code names it: with its schema only where that is not the one it works in. */
  readonly table: string
  readonly column: string
  /** `int8`, `timestamptz`: of an array that of its elements, of a domain that beneath it. */
  readonly type: string
  readonly is_array: boolean
  readonly nullable: boolean
  /** A default or an identity: an insert may leave it out. */
  readonly has_default: boolean
  /** Computed from other columns: nobody writes it. */
  readonly is_generated: boolean
  /** What an enum, or a check that lists them, allows; null where that is anything. */
  readonly values: readonly string[] | null
}

interface Read extends Omit<StoredColumn, 'values'> {
  labels: string[] | null
  checks: string[]
}

/** The columns of every table that is ours, in their order. */
export async function storedColumns(db: Kysely<Tables>): Promise<StoredColumn[]> {
  const { rows } = await sql<Read>`
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
      and relname not in ('kysely_migration', 'kysely_migration_lock')
    order by relname, attnum`.execute(db)
  return rows.map(({ labels, checks, ...column }) => ({ ...column, values: labels ?? listedIn(checks) }))
}

/** `CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text])))` → `draft`, `published` */
function listedIn(checks: readonly string[]): string[] | null {
  for (const check of checks) {
    const [, list] = /^CHECK \(\(+\S+ = ANY \(\(?ARRAY\[([^\]]+)\]/.exec(check) ?? []
    if (list !== undefined)
      return [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, one = '']) => one.replaceAll("''", "'"))
  }
  return null
}
