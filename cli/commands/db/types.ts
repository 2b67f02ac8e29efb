import { readConfig } from '#app/config.ts'
import { printResult } from '../../print-result.ts'
import { EXIT, Exit } from '../../exit.ts'
import { inDatabase } from '../../in-database.ts'
import { alignedText } from '../routes/table.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'
import type { TypeDifference } from './types/compare-columns.ts'
import { type StoredColumn, storedColumns } from './types/stored-columns.ts'

interface TypesOptions extends ShardOption {
  check?: boolean
  json?: boolean
}

export async function typesCommand(
  table: string | undefined,
  { check, json, ...options }: TypesOptions,
): Promise<void> {
  if (json === true && check !== true)
    throw new Exit(EXIT.usage, '--json needs --check: npx cli db types --check --json')
  const stored = await inDatabase(oneDatabase(readConfig(), options), storedColumns)
  if (check === true) return printDifferences(await typeDifferences(stored, table), json)
  const selected = stored.filter((column) => table === undefined || column.table === table)
  if (selected.length === 0) throw new Exit(EXIT.failed, noTable(table))
  const { printTypes } = await import('./types/print-types.ts')
  console.log(printTypes(selected))
}

/** Returns the differences between the declared types and these columns, of all tables or of one. */
export async function typeDifferences(
  stored: readonly StoredColumn[],
  table?: string,
): Promise<TypeDifference[]> {
  const { compareColumns } = await import('./types/compare-columns.ts')
  const differences = compareColumns(process.cwd(), stored)
  const isSelected = (one: { table: string }) => table === undefined || one.table === table
  if (![...differences, ...stored].some(isSelected)) throw new Exit(EXIT.failed, noTable(table))
  return differences.filter(isSelected)
}

const noTable = (table: string | undefined) =>
  table === undefined
    ? 'The database has no tables. Run: npx cli db migrate'
    : `The database has no table ${table}. If a migration creates it, run: npx cli db migrate`

function printDifferences(differences: readonly TypeDifference[], json: boolean | undefined): void {
  const rows = differences.map(({ table, column, problem }) => [
    column ? `${table}.${column}` : table,
    problem,
  ])
  const words = rows.length === 0 ? 'The types match the database.' : alignedText(rows)
  printResult(json, differences, words)
  if (rows.length === 0) return
  if (json !== true) console.error('npx cli db types prints the types that match the database.')
  process.exitCode = EXIT.failed
}
