import { type Kysely, sql } from 'kysely'
import { database, type DeclaredResource, inTransaction, type Tables, withDatabase } from 'pergola'
import { lockMigrations, seedEmptyTables } from 'pergola/database'
import { resources } from '#app/resources.ts'

const declared: readonly DeclaredResource[] = resources
const accounts = declared.filter(({ exampleOwners }) => exampleOwners !== undefined)

/** Seeds every resource whose table is empty. Returns the names of the seeded tables. */
export function seed(db: Kysely<Tables>): Promise<string[]> {
  return withDatabase(db, () =>
    inTransaction(async () => {
      // If two processes start on an empty database, the second waits here without a time limit.
      await sql`set local statement_timeout = 0`.execute(database())
      await lockMigrations(database())
      return [...(await seedEmptyTables(accounts, [])), ...(await seedExamples())]
    }),
  )
}

/** Seeds example records, which belong to the demo accounts. Without demo accounts, inserts nothing. */
async function seedExamples(): Promise<string[]> {
  const userIds: number[] = []
  for (const { exampleOwners } of accounts) userIds.push(...((await exampleOwners?.()) ?? []))
  return userIds.length === 0 ? [] : seedEmptyTables(resources, userIds)
}
