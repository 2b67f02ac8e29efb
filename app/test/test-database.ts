import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { afterAll, inject } from 'vitest'
import { connect, type Tables } from 'pergola'
import { createDatabase, databaseUrl, dropDatabases } from './databases.ts'

export interface TestDatabase {
  db: Kysely<Tables>
  url: string
  /** Every statement sent since it was last emptied. */
  statements: string[]
}

/** A migrated, empty database for this test file alone. Call it at the top of the file; it goes away with it. */
export async function testDatabase(): Promise<TestDatabase> {
  const { adminUrl, prefix, template } = inject('databases')
  const name = prefix + randomBytes(6).toString('hex')
  await createDatabase(adminUrl, name, template)
  const statements: string[] = []
  const url = databaseUrl(adminUrl, name)
  const db = connect({
    url,
    poolSize: 5,
    maxWaiting: 200,
    connectTimeout: 2_000,
    statementTimeout: 5_000,
    lockTimeout: 2_000,
    onConnectionError: () => {},
    onStatement: (sql) => statements.push(sql),
  })
  afterAll(async () => {
    await db.destroy()
    await dropDatabases(adminUrl, name)
  })
  return { db, url, statements }
}
