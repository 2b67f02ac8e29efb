import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../../exit.ts'
import { migrationName } from '../../migration-name.ts'
import { snakeName } from './name.ts'
import { createFile } from './create-file.ts'

const FOLDER = 'app/db/migrations'

export function generateMigration(input: string): void {
  const name = snakeName(input)
  const existing = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'))
  const duplicate = existing.find((file) => file.slice(15) === `${name}.ts`)
  if (duplicate !== undefined)
    throw new Exit(EXIT.conflict, `${join(FOLDER, duplicate)} already has this name. Choose another one.`)
  createFile(join(FOLDER, `${migrationName(name, existing)}.ts`), SKELETON)
  console.error('Write the migration and remove isDraft, then run: npx cli db migrate')
}

// The development server would immediately run an empty migration and store that it has run.
const SKELETON = `import type { Kysely } from 'kysely'

// The development server skips a draft. Remove this line when the migration is written.
export const isDraft = true

// Replace the error by the migration, for example:
// await db.schema.alterTable('posts').addColumn('subtitle', 'text').execute()
export async function up(_db: Kysely<never>): Promise<void> {
  throw new Error('This migration is not written yet.')
}

export async function down(_db: Kysely<never>): Promise<void> {
  throw new Error('The rollback of this migration is not written yet.')
}
`
