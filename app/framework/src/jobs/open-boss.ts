import type { Kysely } from 'kysely'
import type { PgBoss } from 'pg-boss'
import { sessionsOf } from '../database/connect.ts'
import type { Tables } from '../resource/tables.ts'
import type { JobLog } from './attempt.ts'
import { urlOf } from './prepare-jobs.ts'
import { SCHEMA } from './queues.ts'

/** In seconds. The first three decide, with the lease, how soon another worker runs the jobs of a dead one. */
const TIMING = {
  cronMonitorIntervalSeconds: 10,
  superviseIntervalSeconds: 5,
  monitorIntervalSeconds: 5,
  maintenanceIntervalSeconds: 3_600,
}

/**
 * Starts pg-boss for a worker: for schedules and jobs, with up to five connections of its own. Throws if `prepareJobs` has
 * not created its tables.
 */
export async function openBoss(db: Kysely<Tables>, log: JobLog): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  const useListenNotify = await isDirect(db)
  if (!useListenNotify)
    log.info({}, 'DATABASE_URL is the address of a connection pooler, so jobs start up to 2 seconds later')
  const boss = new PgBoss({
    connectionString: urlOf(db),
    schema: SCHEMA,
    migrate: false,
    useListenNotify,
    max: 4,
    ...TIMING,
  })
  // The value may be a copy of the error that is not an instance of Error.
  boss.on('error', ({ message }) => log.warn({}, `pg-boss could not reach its tables: ${message}`))
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  try {
    return await boss.start()
  } catch (error) {
    await boss.stop({ graceful: false })
    throw isOutdated(error) ? new Error(OUTDATED, { cause: error }) : error
  }
}

const isOutdated = (error: unknown) =>
  error instanceof Error && /^pg-boss (?:is not installed|database requires migrations)$/.test(error.message)

const OUTDATED =
  'The tables of jobs are missing, or those of another version. Run npx cli db migrate, and start the worker again.'

/** Returns whether the connections are not those of a pooler, through which Postgres can't notify. */
async function isDirect(db: Kysely<Tables>): Promise<boolean> {
  // The first connection finds out.
  await db.selectNoFrom((is) => is.lit(1).as('one')).execute()
  return sessionsOf(db)?.state.isDirect ?? false
}
