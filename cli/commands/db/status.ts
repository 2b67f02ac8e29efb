import { readConfig } from '#app/config.ts'
import type { MigrationState } from 'pergola/database'
import { migrationStates } from '#app/db/migrate.ts'
import { forMigrations, inDatabase } from '../../in-database.ts'
import { alignedText } from '../routes/table.ts'
import { printEach, type ShardOption } from '../../shards.ts'

export async function statusCommand(options: ShardOption & { json?: boolean }): Promise<void> {
  await printEach(readConfig(), options, {
    work: (config) => inDatabase(forMigrations(config), (db) => migrationStates(db)),
    text: (states) => alignedText([['STATE', 'MIGRATION', 'RUN AT'], ...states.map(rowOf)]),
  })
}

const rowOf = (state: MigrationState) => [stateOf(state), state.name, state.executed_at ?? '']

function stateOf({ executed_at, exists, reversible }: MigrationState): string {
  if (!exists) return 'run, file missing'
  if (executed_at === null) return 'pending'
  return reversible ? 'run' : 'run, irreversible'
}
