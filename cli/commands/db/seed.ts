import { type Config, readConfig } from '#app/config.ts'
import { seed } from '#app/db/seed.ts'
import { inDatabase } from '../../in-database.ts'
import { printEach, type ShardOption } from '../../shards.ts'
import { seededText } from './migrate-and-seed.ts'

export async function seedCommand(options: ShardOption & { json?: boolean }): Promise<void> {
  const config = readConfig()
  assertDemoAllowed(config)
  await printEach(config, options, {
    work: async (one) => ({ seeded: await inDatabase(one, seed) }),
    text: ({ seeded }) => seededText(seeded),
  })
}

/** The seed inserts the demo accounts, whose password is public. */
function assertDemoAllowed({ accounts }: Config): void {
  if (!accounts.demo) throw new Error('accounts.demo is false, but the seed would create the demo accounts.')
}
