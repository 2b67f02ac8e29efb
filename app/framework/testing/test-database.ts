import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { afterAll, inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { databaseUrl } from '../src/migrations/ensure-database.ts'
import type { Tables } from '../src/resource/tables.ts'
import { connectForTests } from './connect-for-tests.ts'
import { createDatabase, disconnect, dropDatabases, testServer } from './databases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databases: { adminUrl: string; prefix: string; template: string }
  }
}

/**
 * Prepares the databases of a test run, in vitest's `globalSetup`: creates a template and calls `migrate` with its
 * URL. Each `testDatabase` copies the template, which takes a few milliseconds. Returns the teardown, which drops
 * all databases of the run.
 *
 * ```ts
 * // app/test/global-setup.ts, named in vitest.config.ts: test: { globalSetup: ['app/test/global-setup.ts'] }
 * export default (project: TestProject) =>
 *   prepareDatabases(project, async (url) => {
 *     const db = connect({ url, … })
 *     await migrate(db, [frameworkMigrations, 'app/db/migrations'])
 *     await db.destroy() // a template must have no open connection
 *   })
 * ```
 */
export async function prepareDatabases(
  project: TestProject,
  migrate: (url: string) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const { adminUrl, prefix, close } = await testServer()
  const template = `${prefix}template`
  await createDatabase(adminUrl, template)
  await migrate(databaseUrl(adminUrl, template))
  await disconnect(adminUrl, template)
  project.provide('databases', { adminUrl, prefix, template })
  return close
}

/** A database of one test file. */
export interface TestDatabase {
  /** A pool of five connections. */
  db: Kysely<Tables>
  url: string
  /** The SQL of every statement so far. Empty it before the statements that you count: `statements.length = 0`. */
  statements: string[]
}

/**
 * Creates a migrated, empty database for this test file, and drops it when the file ends. Call it at the top of the
 * file. Needs `prepareDatabases` in the `globalSetup`.
 *
 * ```ts
 * const { db, statements } = await testDatabase()
 * it('counts in one query', () =>
 *   withDatabase(db, async () => {
 *     statements.length = 0
 *     await posts.asSystem('test').count()
 *     expect(statements).toHaveLength(1)
 *   }))
 * ```
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { adminUrl, prefix, template } = inject('databases')
  const name = prefix + randomBytes(6).toString('hex')
  await createDatabase(adminUrl, name, template)
  const statements: string[] = []
  const url = databaseUrl(adminUrl, name)
  const db = connectForTests(url, { onStatement: (sql) => statements.push(sql) })
  afterAll(async () => {
    await db.destroy()
    await dropDatabases(adminUrl, name)
  })
  return { db, url, statements }
}
