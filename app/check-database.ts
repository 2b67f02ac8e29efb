import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from 'pergola'
import {
  acceptsWrites,
  columnProblems,
  engineProblems,
  orderProblems,
  undeclaredColumns,
} from 'pergola/database'
import type { Config } from './config.ts'
import { resources } from './resources.ts'
import { openDemoAccount } from './users/open-demo-account.ts'
import { pendingMigrations } from './db/migrate.ts'

/**
 * Checks the database once, before the first request. Throws an error with the remedy if the server must not start, and
 * logs a warning for each column that no resource declares, and for each capability of Postgres that the database lacks.
 */
export async function checkDatabase(db: Kysely<Tables>, config: Config, log: Logger): Promise<void> {
  const [pending] = await pendingMigrations(db, config)
  if (pending !== undefined)
    throw new Error(`The migration ${pending} is pending. Run npx cli db migrate first.`)
  const problem = config.profile === 'production' ? await openDemoAccount(db) : null
  if (problem !== null) throw new Error(`Production: ${problem}`)
  const problems = [...(await columnProblems(resources, db)), ...(await orderProblems(resources, db))]
  for (const problem of problems) throw new Error(problem)
  const warnings = [...(await undeclaredColumns(resources, db)), ...engineProblems(resources, db)]
  for (const { problem, remedy } of warnings) log.warn(`${problem} ${remedy}`)
}

/** Returns whether the database can serve this version of the application: for `/readyz`. */
export const canServe = async (db: Kysely<Tables>, config: Config): Promise<boolean> =>
  (await acceptsWrites(db)) && (await pendingMigrations(db, config)).length === 0
