import { type Config, readConfig } from '#app/config.ts'
import { seed } from '#app/db/seed.ts'
import { answer } from '../answer.ts'
import { inDatabase } from '../in-database.ts'
import { seededInWords } from './fill.ts'

export async function seedCommand({ json }: { json?: boolean }): Promise<void> {
  const config = readConfig()
  refuseSeed(config)
  const seeded = await inDatabase(config, seed)
  answer(json, { seeded }, seededInWords(seeded))
}

/** The demo accounts have a password that everybody knows. */
function refuseSeed({ accounts }: Config): void {
  if (!accounts.demo)
    throw new Error('accounts.demo is false here, and the seed would make the demo accounts.')
}
