import type { Kysely } from 'kysely'
import type { Config } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { seed } from '#app/db/seed.ts'
import type { Tables } from 'pergola'

export interface Filled {
  readonly migrated: readonly string[]
  /** The tables that were empty, and have rows now. */
  readonly seeded: readonly string[]
}

/** Migrates, and where the demo accounts are wanted seeds what is empty. */
export async function fill(db: Kysely<Tables>, { accounts }: Config): Promise<Filled> {
  const migrated = await migrate(db)
  return { migrated, seeded: accounts.demo ? await seed(db) : [] }
}

/** What was done, a sentence a line. */
export function filledInWords({ migrated, seeded }: Filled, { accounts }: Config): string {
  const tables = migrated.length === 0 ? 'Nothing to migrate.' : `Migrated ${migrated.join(', ')}.`
  return accounts.demo ? `${tables}\n${seededInWords(seeded)}` : tables
}

export const seededInWords = (tables: readonly string[]): string =>
  tables.length === 0 ? 'Nothing to seed: every table has rows.' : `Seeded ${tables.join(', ')}.`
