import { readConfig } from '#app/config.ts'
import type { MigrationState } from 'pergola'
import { migrationStates } from '#app/db/migrate.ts'
import { printResult } from '../print-result.ts'
import { forMigrations, inDatabase } from '../in-database.ts'
import { alignedText } from '../routes/table.ts'

export async function statusCommand({ json }: { json?: boolean }): Promise<void> {
  const states = await inDatabase(forMigrations(readConfig()), (db) => migrationStates(db))
  printResult(json, states, alignedText([['STATE', 'MIGRATION', 'RUN AT'], ...states.map(rowOf)]))
}

const rowOf = (state: MigrationState) => [stateOf(state), state.name, state.executed_at ?? '']

function stateOf({ executed_at, exists, reversible }: MigrationState): string {
  if (!exists) return 'run, file missing'
  if (executed_at === null) return 'pending'
  return reversible ? 'run' : 'run, irreversible'
}
