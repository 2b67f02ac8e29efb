import type { Kysely } from 'kysely'
import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import { type AnyJob, createQueues, openBoss, workJobs } from 'pergola/jobs'
import { type AnyTask, starter } from 'pergola/tasks'
import type { Tables } from 'pergola'
import { runWhenFree } from './run-when-free.ts'

interface WorkerParts {
  db: Kysely<Tables>
  tasks: readonly AnyTask[]
  jobs: readonly AnyJob[]
  leaseSeconds: number
  log: Logger
}

interface Worker {
  /**
   * Stops running tasks after their current batch, so that another worker resumes them, and waits for the jobs that are
   * running. Waits up to `timeout` milliseconds, and returns jobs to their queues before. Returns the names of the tasks
   * that didn't stop.
   */
  stop(timeout: number): Promise<string[]>
}

/** Seconds without a heartbeat after which a worker loses a task. This is the minimum of pg-boss. */
const HEARTBEAT_SECONDS = 10

/** The part of the time to stop in which jobs may finish. In the rest, jobs that were stopped return to their queues. */
const GRACE = 0.8

const QUEUE = {
  // Skips a run that is due while another run is active or waiting.
  policy: 'exclusive',
  heartbeatSeconds: HEARTBEAT_SECONDS,
  // Retries after a crash of the worker. A failed task is not retried.
  retryLimit: 3,
  expireInSeconds: 24 * 3_600,
}

/**
 * Runs each scheduled task when it is due, and each job that is enqueued, once across all workers of this database.
 * `cli db migrate` must have created the tables of pg-boss.
 */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { db, jobs, log } = parts
  const stopping = new AbortController()
  const running = new Set<string>()
  const boss = await openBoss(db, log)
  try {
    await createQueues(boss, jobs)
    await scheduleTasks(boss, parts, async (task, job) => {
      running.add(task.name)
      await runJob(parts, task, { job, stop: stopping.signal }).finally(() => running.delete(task.name))
    })
  } catch (error) {
    // Its connections would remain open when the caller tries again.
    await boss.stop({ graceful: false }).catch(() => {})
    throw error
  }
  const loops = await workJobs({ boss, db, log }, jobs)
  return {
    async stop(timeout) {
      stopping.abort(new Error('The worker is stopping.'))
      void loops.stop(timeout * GRACE)
      await boss.stop({ graceful: true, timeout })
      return [...running]
    },
  }
}

type Job = JobWithMetadata<unknown> | undefined

/** Schedules the tasks that have a schedule, and calls `run` when one is due. Unschedules all others. */
async function scheduleTasks(
  boss: PgBoss,
  { tasks, jobs, log }: WorkerParts,
  run: (task: AnyTask, job: Job) => Promise<void>,
): Promise<void> {
  const scheduled = tasks.filter(({ schedule }) => schedule !== null)
  for (const task of scheduled) {
    await boss.createQueue(task.name, QUEUE)
    await boss.schedule(task.name, task.schedule ?? '', {}, { tz: 'UTC' })
    const options = { includeMetadata: true, pollingIntervalSeconds: 2 } as const
    await boss.work(task.name, options, ([job]) => run(task, job))
  }
  await unscheduleOthers(boss, scheduled)
  log.info(
    {
      tasks: scheduled.map(({ name, schedule }) => `${name} ${schedule}`),
      jobs: jobs.map(({ name }) => name),
    },
    'the worker is waiting for tasks and jobs',
  )
}

/** Unschedules tasks that were removed or have no schedule anymore. */
async function unscheduleOthers(boss: PgBoss, scheduled: readonly AnyTask[]): Promise<void> {
  for (const { name } of await boss.getSchedules())
    if (!scheduled.some((task) => task.name === name)) await boss.unschedule(name)
}

interface JobRun {
  job: Job
  stop: AbortSignal
}

/** Runs one job. Throws if the run was interrupted, so that pg-boss retries it on another worker. */
async function runJob(
  { db, leaseSeconds, log }: WorkerParts,
  task: AnyTask,
  { job, stop }: JobRun,
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
    output: { say: (line) => taskLog.info(line), warn: (line) => taskLog.warn(line), progress: () => {} },
  })
  if (ended === null) return taskLog.info('skipped: the task is already running')
  const { id: run, outcome, position, error } = ended
  if (outcome === 'failed') return taskLog.error({ run, err: error }, 'the task failed')
  taskLog.info({ run, position, err: error ?? undefined }, `the task is ${outcome}`)
  if (outcome !== 'done') throw new Error(`Run ${run} was stopped. Another worker resumes it.`)
}
