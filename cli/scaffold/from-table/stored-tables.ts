import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import { wordsOf } from '../read/names.ts'
import { type StoredColumn, storedColumns } from '../../commands/db/types/stored-columns.ts'

/** A table or a view of the database. */
export interface StoredTable {
  readonly name: string
  readonly isView: boolean
  readonly columns: readonly TableColumn[]
  readonly constraints: readonly TableConstraint[]
  /** The statements that create the indexes which belong to no constraint. */
  readonly indexes: readonly string[]
}

export interface TableColumn extends StoredColumn {
  /** The type as declared: `varchar(50)`, `year`. */
  readonly sqlType: string
  /** The type without a domain: `character varying(50)`, `timestamp with time zone`. */
  readonly base: string
  /** The default or the expression of a generated column, in SQL. */
  readonly expression: string | null
  /** Whether an identity or a sequence counts the values. */
  readonly isCounted: boolean
  /** The statement that creates its type; null for a type of Postgres. */
  readonly createType: string | null
  /** What prevents a change of its type: `view recent_entries`. */
  readonly usedBy: readonly string[]
  /** The check constraints of its domain. */
  readonly domainChecks: readonly string[]
}

export interface TableConstraint {
  readonly name: string
  readonly type: 'p' | 'u' | 'f' | 'c'
  readonly columns: readonly string[]
  readonly definition: string
  /** The table of the current schema that a foreign key refers to, and its columns. */
  readonly target: string | null
  readonly targetColumns: readonly string[]
  /** The letter of Postgres for the deletion of the referenced row: `c` for cascade, `n` for set null. */
  readonly onDelete: string
}

interface Row extends Omit<StoredTable, 'columns'> {
  readonly columns: readonly (Omit<TableColumn, keyof StoredColumn> & { readonly name: string })[]
}

/** Returns the tables and views of the current schema, by name. */
export async function storedTables(db: Kysely<Tables>): Promise<StoredTable[]> {
  const [{ rows }, stored] = [await TABLES.execute(db), await storedColumns(db)]
  const tables = rows.map((table) => ({
    ...table,
    columns: table.columns.flatMap(({ name, ...column }) => {
      const same = stored.find((one) => one.table === table.name && one.column === name)
      return same ? [{ ...same, ...column }] : []
    }),
  }))
  // `storedColumns` leaves out the tables of the migrator.
  return tables.filter(({ isView, columns }) => isView || columns.length > 0)
}

const TABLES = sql<Row>`
  select relname::text as name, relkind in ('v', 'm') as "isView",
    array(select json_build_object(
        'name', attname, 'sqlType', format_type(atttypid, atttypmod),
        'base', case typtype when 'd' then format_type(typbasetype, typtypmod) else format_type(atttypid, atttypmod) end,
        'expression', pg_get_expr(adbin, adrelid),
        'isCounted', attidentity <> '' or coalesce(pg_get_expr(adbin, adrelid), '') like 'nextval(%',
        'createType', case typtype
          when 'e' then format('create type %s as enum (%s)', atttypid::regtype,
            (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = atttypid))
          when 'd' then concat_ws(' ', format('create domain %s as %s', atttypid::regtype, format_type(typbasetype, typtypmod)),
            'default ' || typdefault, case when typnotnull then 'not null' end, array_to_string(domain_checks, ' ')) end,
        'domainChecks', domain_checks, 'usedBy', array(
          select distinct regexp_replace(pg_describe_object(classid, objid, objsubid), '^(rule .* on|default value for) ', '')
          from pg_depend where refclassid = 'pg_class'::regclass and refobjid = attrelid and refobjsubid = attnum
            and classid in ('pg_rewrite'::regclass, 'pg_attrdef'::regclass) and objid is distinct from pg_attrdef.oid))
      from pg_attribute join pg_type on pg_type.oid = atttypid left join pg_attrdef on adrelid = attrelid and adnum = attnum
        cross join lateral (select array(select pg_get_constraintdef(oid) from pg_constraint
          where contypid = atttypid and contype = 'c' order by conname) as domain_checks) as domains
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped order by attnum) as columns,
    array(select json_build_object(
        'name', conname, 'type', contype, 'definition', pg_get_constraintdef(pg_constraint.oid),
        'columns', names.own, 'target', (select relname from pg_class where oid = confrelid and relnamespace = current_schema()::regnamespace),
        'targetColumns', names.others, 'onDelete', confdeltype)
      from pg_constraint cross join lateral (select
        array(select attname from unnest(conkey) with ordinality as key (num, at) join pg_attribute
          on attrelid = conrelid and attnum = num order by at) as own,
        array(select attname from unnest(confkey) with ordinality as key (num, at) join pg_attribute
          on attrelid = confrelid and attnum = num order by at) as others) as names
      where conrelid = pg_class.oid and contype in ('p', 'u', 'f', 'c') and conparentid = 0 order by conname) as constraints,
    array(select pg_get_indexdef(indexrelid) from pg_index where indrelid = pg_class.oid
      and not exists (select from pg_constraint where conindid = indexrelid) order by indexrelid) as indexes
  from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')
    and relpersistence = 'p' and not relispartition order by relname`

/** Returns the columns of the primary key; empty without one. */
export const keyOf = ({ constraints }: StoredTable): readonly string[] =>
  constraints.find(({ type }) => type === 'p')?.columns ?? []

export const keyColumn = (table: StoredTable): TableColumn | undefined =>
  table.columns.find(({ column }) => column === keyOf(table)[0])

/** Returns the name of a column in the application: `created_at` for `createdAt`. */
export const snakeName = ({ column }: TableColumn): string => wordsOf(column).join('_')

/** Returns the foreign key of a single column. */
export const referenceOf = ({ constraints }: StoredTable, column: string): TableConstraint | undefined =>
  constraints.find(({ type, columns }) => type === 'f' && columns.length === 1 && columns[0] === column)

/** Returns whether a constraint or an index without a condition makes the column unique. */
export const isUnique = ({ constraints, indexes }: StoredTable, column: string): boolean =>
  constraints.some(({ type, columns }) => type === 'u' && columns.length === 1 && columns[0] === column) ||
  indexes.some((index) => index.startsWith('CREATE UNIQUE') && index.endsWith(`USING btree (${column})`))
