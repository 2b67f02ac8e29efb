import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { migrationName } from '../../migration-name.ts'
import { unix } from '../../project/file-text.ts'
import { type Step, stepTo } from '../step.ts'
import { migrationFile } from './migration-file.ts'

/** The texts of migrations, oldest first; null for a deleted file. */
export interface UndoneMigrations {
  readonly all: readonly (string | null)[]
  /** The subset that changes other tables. */
  readonly companions: readonly (string | null)[]
}

/**
 * Returns the step that writes a migration, which drops the join tables and the table of a model, and undoes its companions. Its `down` repeats all of these
 * migrations. It has no `down` if one of them imports more than Kysely.
 */
export async function dropTableStep(
  root: string,
  tables: readonly string[],
  { all, companions }: UndoneMigrations,
): Promise<Step> {
  const migrations = globSync('app/db/migrations/*.ts', { cwd: root }).map((path) => basename(path, '.ts'))
  const path = `app/db/migrations/${migrationName(`drop_${tables.at(-1)}`, migrations)}.ts`
  // Copies the code, because a migration must not depend on a file that may change.
  const steps = all.map((text) => partsOf(text)?.up ?? null)
  const undone = companions.toReversed().map((text) => partsOf(text)?.down ?? '')
  const up = [
    ...undone,
    // Does nothing if a table does not exist, for example on another branch.
    ...tables.map((table) => `await db.schema.dropTable('${table}').ifExists().execute()`),
  ]
  const down = steps.some((step) => step === null) ? null : [steps.join('')]
  return stepTo(path, null, (await migrationFile(path, { up, down })).text)
}

/** Returns the bodies of `up` and `down`; null if the migration imports more than Kysely. */
function partsOf(text: string | null): { up: string; down: string } | null {
  const [, up, down] = STANDS_ALONE.exec(unix(text ?? '')) ?? []
  return up === undefined || down === undefined ? null : { up, down }
}

const STANDS_ALONE =
  /^import (?:type \{ Kysely \}|\{ type Kysely, sql \}) from 'kysely'\n\nexport async function up\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n\nexport async function down\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n$/
