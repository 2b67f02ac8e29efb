import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { afterAll, inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { connect } from '../src/database/connect.ts'
import type { Tables } from '../src/resource/tables.ts'
import { createDatabase, databaseUrl, dropDatabases, testServer } from './databases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databases: { adminUrl: string; prefix: string; template: string }
  }
}

/**
 * The global setup of a test run: creates one database, lets `migrate` make the tables in it, and has every
 * `testDatabase` copy it. Returns what the teardown is.
 */
export async function prepareDatabases(
  project: TestProject,
  migrate: (url: string) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const { adminUrl, prefix, close } = await testServer()
  const template = `${prefix}template`
  await createDatabase(adminUrl, template)
  await migrate(databaseUrl(adminUrl, template))
  project.provide('databases', { adminUrl, prefix, template })
  return close
}

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
