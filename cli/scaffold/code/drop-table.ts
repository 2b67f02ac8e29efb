import type { GeneratedFile } from '../model.ts'
import type { Names } from '../read/names.ts'
import { unix } from '../project/file-text.ts'
import { kyselyImport } from './snippets.ts'
import { formatted } from './render-template.ts'

/** The texts of migrations, oldest first; null for one whose file is gone. */
export interface UndoneMigrations {
  readonly all: readonly (string | null)[]
  /** Those among them that are about other tables. */
  readonly companions: readonly (string | null)[]
}

/**
 * The migration that drops a table which others may have by now, and undoes its companions. Its `down` repeats what all
 * of these migrations did; it has none if one of them imports more than Kysely.
 */
export function dropTable(
  path: string,
  { table }: Names,
  { all, companions }: UndoneMigrations,
): Promise<GeneratedFile> {
  // Written out: a migration must not change with another file, or disappear with it.
  const steps = all.map((text) => partsOf(text)?.up ?? null)
  const undone = companions.toReversed().map((text) => partsOf(text)?.down ?? '')
  const down = steps.includes(null) ? null : steps.join('')
  const text = [
    kyselyImport([down, ...undone].join('')),
    '',
    'export async function up(db: Kysely<never>): Promise<void> {',
    ...undone,
    // A stray copy of this, on a branch without the table, must not be in anybody's way.
    `await db.schema.dropTable('${table}').ifExists().execute()`,
    '}',
    ...(down === null
      ? []
      : ['', 'export async function down(db: Kysely<never>): Promise<void> {', down, '}']),
    '',
  ].join('\n')
  return formatted({ path, text })
}

/** The steps of a migration that imports nothing but Kysely. */
function partsOf(text: string | null): { up: string; down: string } | null {
  const [, up, down] = STANDS_ALONE.exec(unix(text ?? '')) ?? []
  return up === undefined || down === undefined ? null : { up, down }
}

const STANDS_ALONE =
  /^import (?:type \{ Kysely \}|\{ type Kysely, sql \}) from 'kysely'\n\nexport async function up\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n\nexport async function down\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n$/
