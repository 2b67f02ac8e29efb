import type { GeneratedFile } from '../model.ts'
import type { Names } from '../read/names.ts'
import { unix } from '../../project/file-text.ts'
import { migrationFile } from './migration-file.ts'

/** The texts of migrations, oldest first; null for a deleted file. */
export interface UndoneMigrations {
  readonly all: readonly (string | null)[]
  /** The subset that changes other tables. */
  readonly companions: readonly (string | null)[]
}

/**
 * Returns the migration that drops a table and undoes its companions. Its `down` repeats all of these migrations. It has
 * no `down` if one of them imports more than Kysely.
 */
export function dropTable(
  path: string,
  { table }: Names,
  { all, companions }: UndoneMigrations,
): Promise<GeneratedFile> {
  // Copies the code, because a migration must not depend on a file that may change.
  const steps = all.map((text) => partsOf(text)?.up ?? null)
  const undone = companions.toReversed().map((text) => partsOf(text)?.down ?? '')
  const up = [
    ...undone,
    // Does nothing if the table does not exist, for example on another branch.
    `await db.schema.dropTable('${table}').ifExists().execute()`,
  ]
  return migrationFile(path, { up, down: steps.some((step) => step === null) ? null : [steps.join('')] })
}

/** Returns the bodies of `up` and `down`; null if the migration imports more than Kysely. */
function partsOf(text: string | null): { up: string; down: string } | null {
  const [, up, down] = STANDS_ALONE.exec(unix(text ?? '')) ?? []
  return up === undefined || down === undefined ? null : { up, down }
}

const STANDS_ALONE =
  /^import (?:type \{ Kysely \}|\{ type Kysely, sql \}) from 'kysely'\n\nexport async function up\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n\nexport async function down\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n$/
