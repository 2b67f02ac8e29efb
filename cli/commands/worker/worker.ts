import { addAbortListener } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { columnProblems, databaseServer, databasesOf, withPatientDatabase } from 'pergola/database'
import type { Logger } from 'pino'
import { type Config, readConfig } from '#app/config.ts'
import { pendingMigrations } from '#app/db/migrate.ts'
import { jobs } from '#app/jobs/jobs.ts'
import { makeLog } from '#app/log.ts'
import { mailSettings, refuseUndelivered, sendMailsOf } from '#app/mails/mail-settings.ts'
import { resources } from '#app/resources.ts'
import { allTasks } from '#app/tasks/all-tasks.ts'
import { handleStrayErrors, loadQueues } from 'pergola/jobs'
import { checkMails, closeMail, loadDelivery } from 'pergola/mail'
import { describeConnectionError } from '../../connection-error.ts'
import { EXIT } from '../../exit.ts'
import { onInterrupt } from '../task/interrupts.ts'
import { limitYoungGeneration } from '../task/limit-young-generation.ts'
import { serveHealth } from './serve-health.ts'
import { startWorker } from './start-worker.ts'

/** Milliseconds in which tasks must finish their batch, and jobs their attempt. */
const STOP_TIMEOUT = 25_000
/** In development, restarts must not wait for jobs. */
const STOP_TIMEOUT_IN_DEVELOPMENT = 2_000

/** Milliseconds in which mails must finish that a server is receiving when their jobs have ended. */
const LAST_MAILS = 1_000

/** Milliseconds until the worker of a shard starts again that could not be reached. */
const PAUSE = 10_000

/** Runs scheduled tasks and jobs until SIGINT or SIGTERM: with shards, those of each shard. */
export async function workerCommand(): Promise<void> {
  await Promise.all([loadQueues(), loadDelivery()])
  const config = readConfig()
  refuseUndelivered(config)
  await checkMails(mailSettings(config))
  limitYoungGeneration()
  const log = makeLog(config)
  const signal = stopSignal(log)
  const working = new Set<Config>()
  const endHealth = await serveHealth(config, () => !signal.aborted && working.size > 0)
  const runs = databasesOf(config).map((one) =>
    one.shard === undefined
      ? work(one, { log, signal, working })
      : workPatiently(one, { log: log.child({ shard: one.shard }), signal, working }),
  )
  try {
    await Promise.all(runs)
  } finally {
    endHealth()
    await closeMail()
  }
  // A mail server that doesn't respond would keep this process running. Its mail has returned to the queue.
  setTimeout(() => process.exit(), LAST_MAILS).unref()
}

/** Returns a signal that aborts when the worker has to stop. */
function stopSignal(log: Logger): AbortSignal {
  const failed = new AbortController()
  handleStrayErrors(log, () => {
    process.exitCode = EXIT.failed
    failed.abort()
  })
  const interrupted = onInterrupt(() =>
    log.info('stopping: tasks finish their current batch, and jobs their attempt'),
  )
  // `npm run dev` has ended, even by SIGKILL. A signal that a process sends to itself kills it on Windows.
  process.once('disconnect', () => process.emit('SIGTERM'))
  return AbortSignal.any([interrupted.signal, failed.signal])
}

interface Worked {
  log: Logger
  signal: AbortSignal
  /** The databases whose tasks and jobs run. */
  working: Set<Config>
}

/** Works on a shard, and tries again if it fails: the tasks and jobs of the others continue. */
async function workPatiently(config: Config, worked: Worked): Promise<void> {
  const { log, signal } = worked
  while (!signal.aborted) {
    try {
      return await work(config, worked)
    } catch (err) {
      log.error({ err }, 'the tasks of the shard can’t run: trying again')
    }
    await sleep(PAUSE, undefined, { signal }).catch(() => {})
  }
}

/** Runs the tasks and jobs of a database until `signal` aborts. */
async function work(config: Config, { log, signal, working }: Worked): Promise<void> {
  const { url, leave } = await databaseServer(config)
  try {
    const poolSize = Math.max(config.database.pool_size, 5)
    await withPatientDatabase(url, { log, config, poolSize, onOpen: sendMailsOf }, async (db) => {
      const [missing] = await pendingMigrations(db, config)
      if (missing !== undefined)
        throw new Error(`The migration ${missing} is pending. Run npx cli db migrate first.`)
      for (const problem of await columnProblems(resources, db)) throw new Error(problem)
      const leaseSeconds = config.tasks.lease_seconds
      const worker = await startWorker({ db, tasks: allTasks, jobs, leaseSeconds, log })
      working.add(config)
      await new Promise<void>((resolve) => addAbortListener(signal, () => resolve()))
      const isDevelopment = config.profile === 'development'
      const unstopped = await worker.stop(isDevelopment ? STOP_TIMEOUT_IN_DEVELOPMENT : STOP_TIMEOUT)
      if (unstopped.length === 0) return
      log.warn(
        { tasks: unstopped },
        'stopped before these tasks finished their batch: another worker resumes them at the last checkpoint',
      )
      // A task that ignores its signal would keep this process and its connections open. The workers of other shards had
      // the same time.
      process.exit(EXIT.failed)
    })
  } catch (error) {
    throw describeConnectionError(error, config)
  } finally {
    working.delete(config)
    leave()
  }
}
