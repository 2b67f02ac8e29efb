import type { Kysely } from 'kysely'
import type { Config } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { seed } from '#app/db/seed.ts'
import type { Tables } from '#framework'

export interface Filled {
  readonly migrated: readonly string[]
  readonly seeded: boolean
}

/** Migrates, and where the demo accounts are wanted seeds what is empty. */
export async function fill(db: Kysely<Tables>, { accounts }: Config): Promise<Filled> {
  const migrated = await migrate(db)
  return { migrated, seeded: accounts.demo && (await seed(db)).length > 0 }
}

/** What was done, a sentence a line. */
export function filledInWords({ migrated, seeded }: Filled): string {
  const tables = migrated.length === 0 ? 'Nothing to migrate.' : `Migrated ${migrated.join(', ')}.`
  return `${tables}\n${seeded ? 'Seeded.' : 'Nothing to seed.'}`
}
