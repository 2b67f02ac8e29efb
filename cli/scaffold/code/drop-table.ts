import { basename } from 'node:path'
import type { GeneratedFile, Names } from '../model.ts'
import { formatted } from './render-template.ts'

/** The migration that drops a table which others may have by now; undone, it is as these migrations made it. */
export function dropTable(
  path: string,
  { table }: Names,
  migrations: readonly string[],
): Promise<GeneratedFile> {
  const names = migrations.map((file, index) => ({
    name: index === 0 ? 'create' : `change${index}`,
    file: basename(file),
  }))
  const text = [
    "import type { Kysely } from 'kysely'",
    ...names.map(({ name, file }) => `import { up as ${name} } from './${file}'`),
    '',
    'export async function up(db: Kysely<never>): Promise<void> {',
    `await db.schema.dropTable('${table}').execute()`,
    '}',
    '',
    'export async function down(db: Kysely<never>): Promise<void> {',
    ...names.map(({ name }) => `await ${name}(db)`),
    '}',
    '',
  ].join('\n')
  return formatted({ path, text })
}
