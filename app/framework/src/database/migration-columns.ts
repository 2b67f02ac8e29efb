import { type QueryExecutorProvider, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** SQL for the name of a column, such as `public.posts.title`, and the tables that it needs. */
export const COLUMN_NAME = sql<string>`format('%I.%I.%I', nspname, relname, attname)`
export const COLUMNS = sql`pg_attribute join pg_class on pg_class.oid = attrelid
  join pg_namespace on pg_namespace.oid = relnamespace`
export const IS_COLUMN = sql`attnum > 0 and not attisdropped`

/** Returns the migration with a record of the columns that it adds, for versions without its file. Needs `createRecords`. */
export const recordingColumns = (name: string, migration: Migration): Migration => ({
  async up(db) {
    const before = await columnNames(db)
    await migration.up(db)
    const added = [...(await columnNames(db))].filter((column) => !before.has(column))
    await sql`insert into migration_columns (migration, columns) values (${name}, ${added})
      on conflict (migration) do update set columns = excluded.columns`.execute(db)
  },
  ...(migration.down !== undefined && {
    async down(db) {
      await migration.down?.(db)
      await sql`delete from migration_columns where migration = ${name}`.execute(db)
    },
  }),
})

/** Returns the names of the columns that these migrations added. Throws for a migration without a record. */
export async function addedColumns(
  db: QueryExecutorProvider,
  migrations: readonly string[],
): Promise<Set<string>> {
  if (migrations.length === 0) return new Set()
  const records = await recordedColumns(db)
  return new Set(
    migrations.flatMap((name) => {
      const columns = records.get(name)
      if (columns === undefined) throw new Error(hasNoRecord(name))
      return columns
    }),
  )
}

async function recordedColumns(db: QueryExecutorProvider): Promise<Map<string, string[]>> {
  const tables = await sql`select where to_regclass('migration_columns') is not null`.execute(db)
  if (tables.rows.length === 0) return new Map()
  const { rows } = await sql<{ migration: string; columns: string[] }>`
    select migration, columns from migration_columns`.execute(db)
  return new Map(rows.map(({ migration, columns }) => [migration, columns]))
}

async function columnNames(db: QueryExecutorProvider): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select ${COLUMN_NAME} as name from ${COLUMNS}
    where ${IS_COLUMN} and relkind in ('r', 'p', 'v', 'm', 'f') and nspname not in ('pg_catalog', 'information_schema')
    `.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** Creates the table of the records. Throws the error of Postgres if this role may not create tables. */
export const createRecords = (db: QueryExecutorProvider) =>
  sql`create table if not exists migration_columns (migration text primary key, columns text[] not null)`.execute(
    db,
  )

const hasNoRecord = (name: string) =>
  `The migration ${name} ran in this database, but this version has no file of it, and the columns that it added were ` +
  'not recorded. They may be hidden in the version that added them. Start a version that contains the migration.'
