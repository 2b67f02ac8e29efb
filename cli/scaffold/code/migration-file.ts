import type { GeneratedFile } from '../model.ts'
import { formatted } from './render-template.ts'

/** The statements of a migration. `down` is null if it can't be rolled back. */
interface Steps {
  readonly up: readonly string[]
  readonly down: readonly string[] | null
}

/** Returns a migration with these statements, formatted. */
export function migrationFile(path: string, { up, down }: Steps): Promise<GeneratedFile> {
  const text = [
    /\bsql[`<]/.test([...up, ...(down ?? [])].join(''))
      ? "import { type Kysely, sql } from 'kysely'"
      : "import type { Kysely } from 'kysely'",
    ...functionOf('up', up),
    ...(down === null ? [] : functionOf('down', down)),
    '',
  ].join('\n')
  return formatted({ path, text })
}

const functionOf = (name: string, statements: readonly string[]): string[] => [
  '',
  `export async function ${name}(${/\bdb\b/.test(statements.join('')) ? 'db: Kysely<never>' : ''}): Promise<void> {`,
  ...statements,
  '}',
]

/** Returns the statement that alters a table. */
export const altered = (table: string, step: string): string =>
  `await db.schema.alterTable('${table}').${step}.execute()`
