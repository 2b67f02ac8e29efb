import type { Kysely } from 'kysely'
import { type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import { type AnyTask, starter } from 'pergola/tasks'
import type { Tables } from 'pergola'
import { runWhenFree } from './run-when-free.ts'

interface WorkerParts {
  url: string
  db: Kysely<Tables>
  tasks: readonly AnyTask[]
  leaseSeconds: number
  log: Logger
}

interface Worker {
  /**
   * Tells what runs to stop at its next batch, for another worker to go on with; waits so many milliseconds for that.
   * Gives the names of the tasks that didn't.
   */
  stop(patience: number): Promise<string[]>
}

/** The tables of the schedule; nothing else stands in this schema. */
const SCHEMA = 'pgboss'

/** A worker that is silent for so long, in seconds, has lost its job; the least that the queue allows. */
const SILENCE = 10
const TIMING = {
  cronMonitorIntervalSeconds: 10,
  superviseIntervalSeconds: 5,
  monitorIntervalSeconds: 5,
}

const QUEUE = {
  // While a run is under way or waits for a worker, what comes due on top of it is left out.
  policy: 'exclusive',
  heartbeatSeconds: SILENCE,
  // A crash, that is; a task that fails has failed.
  retryLimit: 3,
  expireInSeconds: 24 * 3_600,
}

/** Runs each task with a schedule when it is due, once for all workers of this database. */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { url, tasks, log } = parts
  const stopping = new AbortController()
  const running = new Set<string>()
  const boss = new PgBoss({ connectionString: url, schema: SCHEMA, max: 4, ...TIMING })
  // What arrives may be a copy of the error, and no error itself.
  boss.on('error', ({ message }) => log.warn(`the schedule could not be looked at: ${message}`))
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  await boss.start()
  const scheduled = tasks.filter(({ schedule }) => schedule !== null)
  for (const task of scheduled) {
    await boss.createQueue(task.name, QUEUE)
    await boss.schedule(task.name, task.schedule ?? '', {}, { tz: 'UTC' })
    await boss.work(task.name, { includeMetadata: true, pollingIntervalSeconds: 2 }, async ([job]) => {
      running.add(task.name)
      await runJob(parts, task, { job, stop: stopping.signal }).finally(() => running.delete(task.name))
    })
  }
  await forgetOthers(boss, scheduled)
  log.info(
    { tasks: scheduled.map(({ name, schedule }) => `${name} ${schedule}`) },
    'the worker waits for its tasks',
  )
  return {
    async stop(patience) {
      stopping.abort(new Error('The worker is stopping.'))
      await boss.stop({ graceful: true, timeout: patience })
      return [...running]
    },
  }
}

/** What is no task any more, or has no schedule, comes due no more. */
async function forgetOthers(boss: PgBoss, scheduled: readonly AnyTask[]): Promise<void> {
  for (const { name } of await boss.getSchedules())
    if (!scheduled.some((task) => task.name === name)) await boss.unschedule(name)
}

interface Given {
  job: JobWithMetadata<unknown> | undefined
  stop: AbortSignal
}

/** Throws when the run is to be gone on with by another worker. */
async function runJob(
  { db, leaseSeconds, log }: WorkerParts,
  task: AnyTask,
  { job, stop }: Given,
): Promise<void> {
  if (job === undefined) return
  const taskLog = log.child({ task: task.name })
  const ended = await runWhenFree(db, task, {
    args: {},
    dryRun: false,
    isRetry: job.retryCount > 0,
    starter: starter('the worker'),
    leaseSeconds,
    signal: AbortSignal.any([stop, job.signal]),
    output: {
      say: (line) => taskLog.info(line),
      warn: (line) => taskLog.warn(line),
      progress: () => {},
    },
  })
  if (ended === null) return taskLog.info('left out, since it runs already')
  const { id: run, outcome, position, error } = ended
  if (outcome === 'failed') return taskLog.error({ run, err: error }, 'the task failed')
  taskLog.info({ run, position, err: error ?? undefined }, `the task is ${outcome}`)
  if (outcome !== 'done') throw new Error(`Run ${run} was stopped. Another worker goes on with it.`)
}
