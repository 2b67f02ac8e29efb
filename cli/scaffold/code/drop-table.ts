import type { GeneratedFile, Names } from '../model.ts'
import { unix } from '../project/text.ts'
import { kyselyImport } from './code.ts'
import { formatted } from './render-template.ts'

/**
 * The migration that drops a table which others may have by now. Undone, it makes the table as these migrations did,
 * whose texts they are; it has no `down` where one of them does more than that by itself.
 */
export function dropTable(
  path: string,
  { table }: Names,
  migrations: readonly (string | null)[],
): Promise<GeneratedFile> {
  // Written out, for what a migration does may not change with another file, or go with it.
  const steps = migrations.map((text) => STANDS_ALONE.exec(unix(text ?? ''))?.[1] ?? null)
  const down = steps.includes(null) ? null : steps.join('')
  const text = [
    kyselyImport(down ?? ''),
    '',
    'export async function up(db: Kysely<never>): Promise<void> {',
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

/** A migration that needs nothing but Kysely, and the steps of its `up`. */
const STANDS_ALONE =
  /^import (?:type \{ Kysely \}|\{ type Kysely, sql \}) from 'kysely'\n\nexport async function up\(db: Kysely<never>\): Promise<void> \{\n([^]*?\n)\}\n\nexport async function down\(db: Kysely<never>\): Promise<void> \{\n[^]*?\n\}\n$/
