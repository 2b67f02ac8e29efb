import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import {
  columnProblems,
  engineProblems,
  missingIndexes,
  orderProblems,
  undeclaredColumns,
} from 'pergola/database'
import { missingQueues } from 'pergola/jobs'
import { migrationStates } from '#app/db/migrate.ts'
import { jobs } from '#app/jobs/jobs.ts'
import { resources } from '#app/resources.ts'
import { typeDifferences } from '../db/types.ts'
import { storedColumns } from '../db/types/stored-columns.ts'
import { missingPackage } from '../../missing-package.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

const MINIMUM_VERSION = 15

export async function checkServer(db: Kysely<Tables>): Promise<Finding[]> {
  const { rows } = await sql<{ version: string; name: string }>`
    select current_setting('server_version') as version, current_database() as name`.execute(db)
  const { version = '?', name = '?' } = rows[0] ?? {}
  const reached = ok('database', `Connected to the database ${name}.`)
  if (parseInt(version) >= MINIMUM_VERSION) return [reached, ok('database-version', `PostgreSQL ${version}`)]
  const todo = `Use PostgreSQL ${MINIMUM_VERSION} or newer.`
  return [reached, wrong('database-version', `The server is PostgreSQL ${version}.`, todo)]
}

/** Returns a note for each capability of Postgres that this database lacks. Call it after another check of the database. */
export function checkEngine(db: Kysely<Tables>): Finding[] {
  const problems = engineProblems(resources, db)
  if (problems.length === 0) return [ok('engine', 'The database has all capabilities of Postgres.')]
  return problems.map(({ problem, remedy }) => note('engine', problem, remedy))
}

export async function checkMigrations(db: Kysely<Tables>): Promise<Finding> {
  const states = await migrationStates(db)
  const lost = states.filter(({ exists }) => !exists).map(({ name }) => name)
  const pending = states.filter(({ executed_at }) => executed_at === null).map(({ name }) => name)
  if (lost.length > 0)
    return wrong(
      'migrations',
      `These migrations have run, but their files are missing: ${lost.join(', ')}.`,
      'Restore them from git. If you don’t need the data: npx cli db reset',
    )
  if (pending.length > 0)
    return wrong('migrations', `Pending migrations: ${pending.join(', ')}.`, 'npx cli db migrate')
  const queues = await missingQueues(db, jobs)
  if (queues === null)
    return wrong('migrations', 'The tables of jobs and schedules are missing.', 'npx cli db migrate')
  if (queues.length > 0)
    return wrong('migrations', `These jobs have no queue: ${queues.join(', ')}.`, 'npx cli db migrate')
  return ok('migrations', `All ${states.length} migrations have run.`)
}

/** Compares the table types with the columns of the database, which must be migrated. */
export async function checkTypes(db: Kysely<Tables>): Promise<Finding> {
  const stored = await storedColumns(db)
  const differences = await typeDifferences(stored).catch((error: unknown) => {
    if (missingPackage(error) === null) throw error
    return null
  })
  if (differences === null)
    return note(
      'types',
      'Not checked: the TypeScript compiler is a development dependency.',
      'Run in development: npx cli db types --check',
    )
  if (differences.length === 0) return ok('types', 'The table types match the database.')
  const [first] = differences.map(
    ({ table, column, problem }) => `${column ? `${table}.${column}` : table}: ${problem}`,
  )
  const more = differences.length > 1 ? ` And ${differences.length - 1} more.` : ''
  return wrong('types', `${first}${more}`, 'Run npx cli db types --check to list the differences.')
}

/** Returns a note for each column that no row contains: it may be meant to be shown, or to be dropped. */
export async function checkColumns(db: Kysely<Tables>): Promise<Finding[]> {
  const problems = (await columnProblems(resources, db)).map((problem) =>
    wrong('columns', problem, 'The server doesn’t start before this is fixed.'),
  )
  const undeclared = (await undeclaredColumns(resources, db)).map(({ problem, remedy }) =>
    note('columns', problem, remedy),
  )
  const findings = [...problems, ...undeclared]
  return findings.length > 0
    ? findings
    : [ok('columns', 'The resources declare the columns of their tables.')]
}

export async function checkOrders(db: Kysely<Tables>): Promise<Finding[]> {
  const problems = await orderProblems(resources, db)
  return problems.map((problem) =>
    wrong(
      'orders',
      problem,
      'Make the column not null in a migration, or change the order of the repository.',
    ),
  )
}

/** Returns a note for each missing index: the lists work without it, but read and sort the whole table. */
export async function checkListIndexes(db: Kysely<Tables>): Promise<Finding[]> {
  const missing = await missingIndexes(resources, db)
  if (missing.length === 0)
    return [ok('list-indexes', 'The columns of searches, orders and filters have indexes.')]
  return missing.map(({ problem, remedies }) =>
    note('list-indexes', problem, remedies.map((statement) => `${statement};`).join('\n')),
  )
}
