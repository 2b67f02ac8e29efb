import { readConfig } from '#app/config.ts'
import { pendingMigrations } from '#app/db/migrate.ts'
import { databaseServer, withPatientDatabase } from '#app/db/open.ts'
import { makeLog } from '#app/log.ts'
import { allTasks } from '#app/tasks/all-tasks.ts'
import { absenceInWords } from './absent-database.ts'
import { EXIT } from './exit.ts'
import { onInterrupt } from './task/interrupts.ts'
import { keepNurserySmall } from './task/small-nursery.ts'
import { startWorker } from './worker/start-worker.ts'

/** How long, in milliseconds, a task may take to come to the end of its batch. */
const PATIENCE = 25_000

/** Runs tasks on their schedule until it is told to stop. */
export async function workerCommand(): Promise<void> {
  const config = readConfig()
  keepNurserySmall()
  const log = makeLog(config)
  const interrupts = onInterrupt(() => log.info('stopping: tasks end with the batch they are at'))
  const { url, leave } = await databaseServer(config)
  try {
    await withPatientDatabase(url, log, async (db) => {
      const [missing] = await pendingMigrations(db)
      if (missing !== undefined)
        throw new Error(`The database lacks ${missing}. Run npx cli db migrate first.`)
      const worker = await startWorker({
        url,
        db,
        tasks: allTasks,
        leaseSeconds: config.tasks.lease_seconds,
        log,
      })
      await aborted(interrupts.signal)
      const deaf = await worker.stop(PATIENCE)
      if (deaf.length === 0) return
      log.warn(
        { tasks: deaf },
        'stopped without waiting longer: another worker goes on from the last checkpoint',
      )
      // What doesn't hear its signal would keep this process, and the connections it has, for ever.
      process.exit(EXIT.failed)
    })
  } catch (error) {
    throw absenceInWords(error)
  } finally {
    leave()
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
