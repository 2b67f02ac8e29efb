import { pino } from 'pino'
import { withPatientDatabase } from 'pergola/database'
import { prepareDatabases } from 'pergola/testing'
import type { TestProject } from 'vitest/node'
import { migrate } from '#app/db/migrate.ts'

/** Creates one migrated template database for the whole run. Each test file uses a copy. */
export default (project: TestProject): Promise<() => Promise<void>> =>
  prepareDatabases(project, (url) => withPatientDatabase(url, { log: pino({ level: 'silent' }) }, migrate))
