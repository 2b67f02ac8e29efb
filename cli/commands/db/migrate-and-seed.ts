import type { Kysely } from 'kysely'
import type { Config } from '#app/config.ts'
import { migrate } from '#app/db/migrate.ts'
import { seed } from '#app/db/seed.ts'
import type { Tables } from 'pergola'

export interface Prepared {
  readonly migrated: readonly string[]
  /** The tables that were empty and now have rows. */
  readonly seeded: readonly string[]
}

/** Migrates the database. With `accounts.demo`, also seeds the empty tables. */
export async function migrateAndSeed(db: Kysely<Tables>, { accounts }: Config): Promise<Prepared> {
  const migrated = await migrate(db)
  return { migrated, seeded: accounts.demo ? await seed(db) : [] }
}

/** Describes the result, one sentence per line. */
export function preparedText({ migrated, seeded }: Prepared, { accounts }: Config): string {
  const tables = migrated.length === 0 ? 'Nothing to migrate.' : `Migrated ${migrated.join(', ')}.`
  return accounts.demo ? `${tables}\n${seededText(seeded)}` : tables
}

export const seededText = (tables: readonly string[]): string =>
  tables.length === 0 ? 'Nothing to seed: every table has rows.' : `Seeded ${tables.join(', ')}.`
