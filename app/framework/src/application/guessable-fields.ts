import { type Kysely, sql } from 'kysely'
import { quotedTable } from '../rows/row-columns.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'

/**
 * Returns a sentence for each unique field that clients may set and that some of them don't see: a write with a guessed
 * value fails if another row has it, which tells the value. Costs one query.
 */
export async function guessableFields(
  declared: readonly DeclaredResource[],
  db: Kysely<Tables>,
): Promise<string[]> {
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
