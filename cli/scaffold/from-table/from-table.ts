import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import { readConfig } from '#app/config.ts'
import { Exit, EXIT } from '../../exit.ts'
import { inDatabase } from '../../in-database.ts'
import { printResult } from '../../print-result.ts'
import type { Project } from '../project/project.ts'
import type { ScaffoldArguments } from '../read/options.ts'
import { scaffold, type Scaffolded, type ScaffoldFlags } from '../scaffold-resource.ts'
import { adoptionMigration } from './adoption-migration.ts'
import { type Adaptation, quoted } from './adaptations.ts'
import { linesInWords, schemaLines } from './from-schema.ts'
import { longTexts } from './long-texts.ts'
import { tableNamed, wordsOfTable } from './read-table.ts'
import { storedTables } from './stored-tables.ts'

export type { FromOptions } from './from-options.ts'

type Connected = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>

const connected: Connected = (work) => inDatabase(readConfig(), work)

/** Creates the resource of the table in `--from-table`. The other arguments override the words of the table. */
export async function scaffoldTable(
  project: Project,
  args: ScaffoldArguments,
  {
    adapt = false,
    read = connected,
    ...flags
  }: ScaffoldFlags & { readonly adapt?: boolean; readonly read?: Connected } = {},
): Promise<Scaffolded> {
  const { fromTable: name = '' } = args.options
  const existing = await project.existing()
  const { table, words, schema } = await read(async (db) => {
    const schema = { tables: await storedTables(db), existing }
    const table = tableNamed(name, schema.tables)
    const words = wordsOfTable(table, args, { ...schema, long: await longTexts(db, table) })
    if (words.adaptations.length > 0 && !adapt)
      throw new Exit(EXIT.conflict, needsChanges(name, words.adaptations))
    const filled = words.adaptations.flatMap(({ fills }) => fills ?? [])
    if (!flags.force) await refuseNulls(db, name, filled)
    return { table, words, schema }
  })
  const migrations = await adoptionMigration(project.root, table, { ...words, ...schema })
  const free = { ...existing, tables: new Set([...existing.tables].filter((one) => one !== name)) }
  // The table is a real one, so that no examples are added to it.
  const own: Project = { ...project, seeds: false, existing: () => Promise.resolve(free) }
  const result = await scaffold(own, words.args, { ...flags, migrations })
  const changes = words.adaptations.map(({ up }) => `The migration changes ${name}: ${up};`)
  return { ...result, notes: [...changes, ...words.notes, ...result.notes] }
}

const needsChanges = (name: string, adaptations: readonly Adaptation[]): string =>
  [
    `${name} needs these changes before it can be a resource:`,
    ...adaptations.map(({ up }) => `  ${up};`),
    '--adapt writes a migration with them and runs it. Other programs that use the table must follow. No files were written.',
  ].join('\n')

/** Throws if a row of the table `name` has a null in one of the columns. */
async function refuseNulls(db: Kysely<Tables>, name: string, columns: readonly string[]): Promise<void> {
  for (const column of columns) {
    const nulls = sql`from ${sql.table(name)} where ${sql.ref(column)} is null`
    const { rows } = await sql`select ${nulls} limit 1`.execute(db)
    const update = `update ${quoted(name)} set ${quoted(column)} = … where ${quoted(column)} is null`
    if (rows.length > 0)
      throw new Exit(
        EXIT.conflict,
        `Rows of ${name} have no ${column}, and --adapt would give them a default. Run this first: ${update}; or continue with --force. No files were written.`,
      )
  }
}

/** Prints the commands for the tables of the database. */
export async function printSchema(project: Project, { json }: { readonly json?: boolean }): Promise<void> {
  const lines = schemaLines(await connected(storedTables), await project.existing())
  printResult(json, lines, linesInWords(lines))
}
