import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { migrationName } from '../migration-name.ts'
import { snakeName } from './name.ts'
import { writeNew } from './write-new.ts'

const FOLDER = 'app/db/migrations'

export function generateMigration(given: string): void {
  const name = snakeName(given)
  const there = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'))
  const twin = there.find((file) => file.slice(15) === `${name}.ts`)
  if (twin !== undefined)
    throw new Exit(EXIT.conflict, `${join(FOLDER, twin)} has this name already. Say what else this one does.`)
  writeNew(join(FOLDER, `${migrationName(name, there)}.ts`), SKELETON)
  console.error('Write it, then: npx cli db migrate')
}

// An empty one would be run, and taken for done, by the development server the moment it appears.
const SKELETON = `import type { Kysely } from 'kysely'

// Until it is written it fails. It may read like this:
// await db.schema.alterTable('posts').addColumn('subtitle', 'text').execute()
export async function up(_db: Kysely<never>): Promise<void> {
  throw new Error('This migration is still to be written.')
}

export async function down(_db: Kysely<never>): Promise<void> {
  throw new Error('How this migration is undone is still to be written.')
}
`
