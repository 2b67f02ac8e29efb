import { readConfig } from '#app/config.ts'
import { answer } from '../answer.ts'
import { EXIT, Exit } from '../exit.ts'
import { inDatabase } from '../in-database.ts'
import { alignedText } from '../routes/table.ts'
import { compareColumns, type TypeDifference } from './types/compare-columns.ts'
import { type StoredColumn, storedColumns } from './types/stored-columns.ts'

interface TypesOptions {
  check?: boolean
  json?: boolean
}

export async function typesCommand(table: string | undefined, { check, json }: TypesOptions): Promise<void> {
  if (json === true && check !== true)
    throw new Exit(EXIT.usage, '--json is for the differences: npx cli db types --check --json')
  const stored = await inDatabase(readConfig(), storedColumns)
  if (check === true) return say(await typeDifferences(stored, table), json)
  const asked = stored.filter((column) => table === undefined || column.table === table)
  if (asked.length === 0) throw new Exit(EXIT.failed, noTable(table))
  const { printTypes } = await import('./types/print-types.ts')
  console.log(printTypes(asked))
}

/** Where the table types of the code, or of one table, are not what the database asks for. */
export async function typeDifferences(
  stored: readonly StoredColumn[],
  table?: string,
): Promise<TypeDifference[]> {
  const { declaredColumns } = await import('./types/declared-columns.ts')
  const declared = declaredColumns(process.cwd(), stored)
  const isAsked = (one: { table: string }) => table === undefined || one.table === table
  if (![...declared, ...stored].some(isAsked)) throw new Exit(EXIT.failed, noTable(table))
  return compareColumns(declared.filter(isAsked), stored.filter(isAsked))
}

const noTable = (table: string | undefined) =>
  table === undefined
    ? 'There are no tables here yet. Make them: npx cli db migrate'
    : `There is no table ${table} here. If it is still to be made: npx cli db migrate`

function say(differences: readonly TypeDifference[], json: boolean | undefined): void {
  const rows = differences.map(({ table, column, problem }) => [
    column ? `${table}.${column}` : table,
    problem,
  ])
  const words = rows.length === 0 ? 'The types say what the database says.' : alignedText(rows)
  answer(json, differences, words)
  if (rows.length === 0) return
  if (json !== true) console.error('npx cli db types prints what the database asks for.')
  process.exitCode = EXIT.failed
}
