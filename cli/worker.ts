import { readConfig } from '#app/config.ts'
import { pendingMigrations, readColumns } from '#app/db/migrate.ts'
import { databaseServer, withPatientDatabase } from '#app/db/open.ts'
import { jobs } from '#app/jobs/jobs.ts'
import { makeLog } from '#app/log.ts'
import { resources } from '#app/resources.ts'
import { allTasks } from '#app/tasks/all-tasks.ts'
import { describeConnectionError } from './connection-error.ts'
import { EXIT } from './exit.ts'
import { onInterrupt } from './task/interrupts.ts'
import { limitYoungGeneration } from './task/limit-young-generation.ts'
import { startWorker } from './worker/start-worker.ts'

/** Milliseconds in which tasks must finish their batch, and jobs their attempt. */
const STOP_TIMEOUT = 25_000
/** In development, restarts must not wait for jobs. */
const STOP_TIMEOUT_IN_DEVELOPMENT = 2_000

/** Runs scheduled tasks and jobs until SIGINT or SIGTERM. */
export async function workerCommand(): Promise<void> {
  const config = readConfig()
  limitYoungGeneration()
  const log = makeLog(config)
  const interrupts = onInterrupt(() =>
    log.info('stopping: tasks finish their current batch, and jobs their attempt'),
  )
  // `npm run dev` has ended, even by SIGKILL.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  const { url, leave } = await databaseServer(config)
  try {
    const poolSize = Math.max(config.database.pool_size, 5)
    await withPatientDatabase(url, { log, config, poolSize }, async (db) => {
      const [missing] = await pendingMigrations(db)
      if (missing !== undefined)
        throw new Error(`The migration ${missing} is pending. Run npx cli db migrate first.`)
      await readColumns(resources, db)
      const worker = await startWorker({
        db,
        tasks: allTasks,
        jobs,
        leaseSeconds: config.tasks.lease_seconds,
        log,
      })
      await aborted(interrupts.signal)
      const isDevelopment = config.profile === 'development'
      const unstopped = await worker.stop(isDevelopment ? STOP_TIMEOUT_IN_DEVELOPMENT : STOP_TIMEOUT)
      if (unstopped.length === 0) return
      log.warn(
        { tasks: unstopped },
        'stopped before these tasks finished their batch: another worker resumes them at the last checkpoint',
      )
      // A task that ignores its signal would keep this process and its connections open.
      process.exit(EXIT.failed)
    })
  } catch (error) {
    throw describeConnectionError(error)
  } finally {
    leave()
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
