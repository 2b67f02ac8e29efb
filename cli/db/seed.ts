import { type Config, readConfig } from '#app/config.ts'
import { seed } from '#app/db/seed.ts'
import { printResult } from '../print-result.ts'
import { inDatabase } from '../in-database.ts'
import { seededText } from './migrate-and-seed.ts'

export async function seedCommand({ json }: { json?: boolean }): Promise<void> {
  const config = readConfig()
  assertDemoAllowed(config)
  const seeded = await inDatabase(config, seed)
  printResult(json, { seeded }, seededText(seeded))
}

/** The seed inserts the demo accounts, whose password is public. */
function assertDemoAllowed({ accounts }: Config): void {
  if (!accounts.demo) throw new Error('accounts.demo is false, but the seed would create the demo accounts.')
}
