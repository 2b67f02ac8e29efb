import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { migrate } from '#app/db/migrate.ts'
import { withPatientDatabase } from '#app/db/open.ts'
import { createDatabase, databaseUrl, testServer } from './databases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databases: { adminUrl: string; prefix: string; template: string }
  }
}

/** One migrated template for the whole run; each test file clones it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { adminUrl, prefix, close } = await testServer()
  const template = `${prefix}template`
  await createDatabase(adminUrl, template)
  await withPatientDatabase(databaseUrl(adminUrl, template), pino({ level: 'silent' }), migrate)
  project.provide('databases', { adminUrl, prefix, template })
  return close
}
