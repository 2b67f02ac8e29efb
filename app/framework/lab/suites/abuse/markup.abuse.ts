import { sql } from 'kysely'
import { attackTargets, MARKUP, recordFigures } from 'pergola/lab'
import { expect, it } from 'vitest'
import { abuseBed } from './abuse-bed.ts'

const { app, insider, makers } = await abuseBed()

it('every page escapes markup in the stored texts of all resources', async (test) => {
  const targets = (await attackTargets(app, insider, makers)).filter(({ method }) => method === 'GET')
  const client = await app.signInAs(insider.email)
  const changed = await storeMarkup()
  expect(changed, 'columns with markup').toContain('users.name')
  const problems: string[] = []
  let escaped = 0
  for (const { path } of targets) {
    const { headers, text } = await client.get(path)
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    if (text.includes('&lt;img src=x')) escaped++
    if (text.includes('<img src=x') || text.includes('<hx-evil')) problems.push(path)
  }
  recordFigures(test, { requests: targets.length, failed: problems.length })
  expect(problems).toEqual([])
  expect(escaped, 'pages that show the markup').toBeGreaterThan(0)
})

/** Stores markup in every text column of the resources' tables that accepts it. Returns these columns. */
async function storeMarkup(): Promise<string[]> {
  const changed: string[] = []
  for (const { table } of app.resources.map(({ repository }) => repository.resource)) {
    const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
      where table_name = ${table} and data_type = 'text' and is_generated = 'NEVER'`.execute(app.db)
    for (const { name } of rows) {
      const update = sql`update ${sql.table(table)} set ${sql.ref(name)} = ${MARKUP}`
      // A unique column, or one with a constraint, keeps its values.
      const isChanged = await update.execute(app.db).then(
        () => true,
        () => false,
      )
      if (isChanged) changed.push(`${table}.${name}`)
    }
  }
  return changed
}
