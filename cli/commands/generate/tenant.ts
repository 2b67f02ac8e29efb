import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Exit, EXIT } from '../../exit.ts'
import { migrationName } from '../../migration-name.ts'
import { formatted, rendered } from '../../scaffold/code/render-template.ts'
import { tenantsIn } from '../../scaffold/existing.ts'
import { namesOf, withArticle } from '../../scaffold/read/names.ts'
import { createFile } from './create-file.ts'
import { snakeName } from './name.ts'
import { type Edit, edited, tenantEdits } from './tenant-edits.ts'

const APP = 'app/app.ts'
const MIGRATIONS = 'app/db/migrations'

/** Adds tenants to the application: a table, the column of users that refers to it, and the function `tenantOf`. */
export async function generateTenant(input: string): Promise<void> {
  const names = namesOf(snakeName(input))
  const existing = tenantsIn(readFileSync(APP, 'utf8'))
  if (existing !== undefined)
    throw new Exit(
      EXIT.conflict,
      `The tenants of the application already are ${existing.names.humans}. No files were written.`,
    )
  const column = `${names.file.replaceAll('-', '_')}_id`
  const edits = tenantEdits(names, column).map((edit) => ({ ...edit, text: edited(edit) }))
  const migration = migrationName(`create_${names.table}`, readdirSync(MIGRATIONS))
  const folder = `app/${names.folder}`
  const data = { names, column, withArticle }
  const files = await rendered([
    [`${MIGRATIONS}/${migration}.ts`, 'tenant-migration.ts', data],
    [`${folder}/${names.file}.ts`, 'tenant.ts', data],
    [`${folder}/${names.file}.factory.ts`, 'tenant.factory.ts', data],
    ['app/test/tenants.test.ts', 'tenants.test.ts', data],
  ])
  mkdirSync(folder, { recursive: true })
  for (const { path, text } of files) createFile(path, text)
  for (const edit of edits) await write(edit)
  console.error(
    [
      'Next: npx cli db migrate',
      'Then: npx cli routes audit --write',
      `And a resource of each ${names.human}: npx cli scaffold project name:string owner:references:user --tenant ${column}`,
    ].join('\n'),
  )
}

async function write({ path, text, line }: Edit & { text: string | null }): Promise<void> {
  if (text === null) return console.error(`Could not edit ${path}. Add this to it: ${line.trim()}`)
  writeFileSync(path, (await formatted({ path, text })).text)
  console.log(`change  ${path}`)
}
