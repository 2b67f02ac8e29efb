import { type Config, readConfig } from '#app/config.ts'
import { seed } from '#app/db/seed.ts'
import { answer } from '../answer.ts'
import { inDatabase } from '../in-database.ts'

export async function seedCommand({ json }: { json?: boolean }): Promise<void> {
  const config = readConfig()
  refuseSeed(config)
  const seeded = (await inDatabase(config, seed)).length > 0
  answer(json, { seeded }, seeded ? 'Seeded.' : 'Not seeded: there are users already.')
}

/** The demo accounts have a password that everybody knows. */
function refuseSeed({ accounts }: Config): void {
  if (!accounts.demo)
    throw new Error('accounts.demo is false here, and the seed would make the demo accounts.')
}
