import { type Kysely, sql } from 'kysely'
import { seedEmptyTables, type Tables, withDatabase } from 'pergola'
import { resources } from '#app/resources.ts'

const accounts = resources.filter(({ exampleOwners }) => exampleOwners !== undefined)

/** Runs the seed of every resource whose table is empty. Returns the tables that it filled. */
export function seed(db: Kysely<Tables>): Promise<string[]> {
  return db.transaction().execute((transaction) =>
    withDatabase(transaction, async () => {
      // Two processes may start on an empty database: the second waits here, however long, and finds it filled.
      await sql`set local lock_timeout = 0`.execute(transaction)
      await sql`set local statement_timeout = 0`.execute(transaction)
      await sql`select pg_advisory_xact_lock(hashtext('pergola seed'))`.execute(transaction)
      return [...(await seedEmptyTables(accounts, [])), ...(await seedExamples())]
    }),
  )
}

/** Examples belong to the demo accounts, so a database with other users gets none. */
async function seedExamples(): Promise<string[]> {
  const userIds: number[] = []
  for (const { exampleOwners } of accounts) userIds.push(...((await exampleOwners?.()) ?? []))
  return userIds.length === 0 ? [] : seedEmptyTables(resources, userIds)
}
