import { type Kysely, sql } from 'kysely'
import { quotedTable } from '../rows/row-columns.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'
import type { EngineProblem } from './engine-problems.ts'

/**
 * Returns a sentence for each problem with which a server must not start: a declared column that its table lacks, since
 * every statement would fail, and a unique field that clients may set and that some of them don't see, since they could
 * guess its values. Hidden columns may be missing, and tables that don't exist yet are skipped. Costs two queries.
 */
export async function columnProblems(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<string[]> {
  return [...(await missingColumns(declared, db)), ...(await guessableFields(declared, db))]
}

/** Returns the columns of tables that their resources don't declare: no row contains them. Costs one query. */
export async function undeclaredColumns(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<EngineProblem[]> {
  const tables = await tablesOf(declared, db)
  return tables.flatMap(({ repository: { resource }, stored }) =>
    stored
      .filter((column) => ![...resource.columns, ...resource.hidden].includes(column))
      .map((column) => ({
        problem: `${resource.table}.${column} is not declared, so no row of ${resource.name} contains it.`,
        remedy: `Add it to the table type, and to columns or hidden of resource('${resource.name}', …).`,
      })),
  )
}

async function missingColumns(declared: readonly DeclaredResource[], db: Kysely<Tables>): Promise<string[]> {
  const tables = await tablesOf(declared, db)
  return tables.flatMap(({ repository: { resource, declaredAt }, stored }) =>
    resource.columns
      .filter((column) => !stored.includes(column) && !(column in resource.joins))
      .map(
        (column) =>
          `${declaredAt}: ${resource.name} declares the column ${column}, which the table ${resource.table} doesn’t have. ` +
          'Add it in a migration, or remove it from the declaration and from the table type.',
      ),
  )
}

/** Returns the existing tables with the names of their columns. */
async function tablesOf(declared: readonly DeclaredResource[], db: Kysely<Tables>) {
  const names = declared.map(({ repository }) => quotedTable(repository.resource.table))
  // A foreign table may have a column of this name in place of the system column.
  const { rows } = await sql<{ position: string; stored: string[] }>`
    select position, array_agg(attname::text order by attnum) as stored
    from unnest(${names}::text[]) with ordinality as list (name, position)
    join pg_attribute on attrelid = to_regclass(name) and attnum > 0 and not attisdropped and attname <> 'xmin'
    group by position order by position`.execute(db)
  return rows.map(({ position, stored }) => ({
    repository: declared[Number(position) - 1]!.repository,
    stored,
  }))
}

/**
 * Returns a sentence for each unique field that clients may set and that some of them don't see: a write with a guessed
 * value fails if another row has it, which tells the value. Costs one query.
 */
async function guessableFields(declared: readonly DeclaredResource[], db: Kysely<Tables>): Promise<string[]> {
  const fields = declared.flatMap(({ repository }) =>
    blindFields(repository).map((field) => ({ repository, field })),
  )
  if (fields.length === 0) return []
  const { rows } = await sql<{ position: string }>`
    select distinct position from unnest(
      ${fields.map(({ repository }) => quotedTable(repository.resource.table))}::text[],
      ${fields.map(({ field }) => field)}::text[]
    ) with ordinality as list (name, field, position)
    join pg_attribute on attrelid = to_regclass(name) and attname = field
    join pg_index on indrelid = attrelid and (indisunique or indisexclusion)
    where attnum = any(indkey) or exists (
      select from pg_depend where objid = indexrelid and refobjid = attrelid and refobjsubid = attnum)
    order by position`.execute(db)
  return rows.map(({ position }) => isGuessable(fields[Number(position) - 1]!))
}

/**
 * Returns the fields of `input` that a caller may set without seeing them in every row: by a rule `set`, or because `see`
 * depends on the row.
 */
function blindFields({ resource, options }: AnyRepository): string[] {
  return Object.entries(options.policy?.fields?.rules ?? {}).flatMap(([field, { see, set }]) =>
    see !== undefined && field in resource.input.shape && (set !== undefined || see.length !== 1)
      ? [field]
      : [],
  )
}

const isGuessable = ({ repository, field }: { repository: AnyRepository; field: string }): string =>
  `${repository.declaredAt}: clients may set ${repository.resource.name}.${field} without seeing it in every row, and it is unique: ` +
  'the error of a value that another row has would tell them this value. Drop the unique index, remove the field from input, ' +
  'or let fields.' +
  `${field} have only a rule see that takes the context alone.`
