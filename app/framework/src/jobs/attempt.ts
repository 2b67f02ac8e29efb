import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { JobWithMetadata, PgBoss } from 'pg-boss'
import { withFence } from '../database/executor.ts'
import type { Tables } from '../resource/tables.ts'
import { causeLog } from '../leases/cause-log.ts'
import { leaseFence } from '../leases/fences.ts'
import { Heartbeat } from '../leases/heartbeat.ts'
import { messageOf } from '../leases/task-errors.ts'
import { problemsOfArgs } from './enqueue.ts'
import type { AnyJob } from './job.ts'
import { jobName, LEASE_SECONDS } from './queues.ts'
import { endRetries, holdsJob, returnToQueue } from './taken-job.ts'
import { Unrecoverable } from './unrecoverable.ts'

/** A job that a worker has taken. Its id and its number of retries identify the attempt. */
export type Taken = JobWithMetadata

/** Receives the lines of jobs. A logger of pino is one. */
export interface JobLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The worker of an attempt. */
export interface JobWorker {
  readonly boss: PgBoss
  readonly db: Kysely<Tables>
  readonly log: JobLog
  /** Aborts when the worker has no more time to stop: its jobs return to their queues. */
  readonly stop: AbortSignal
}

/** Traces each attempt with the name of the job, its id and the number of the attempt. */
const channel = tracingChannel('pergola:job')

/**
 * Runs a job once. Returns null if it is done, otherwise the message of the error, which is also logged. The statements of
 * the job throw after its end, after the time limit, and when another worker may have taken the job.
 */
export async function attempt(worker: JobWorker, job: AnyJob, taken: Taken): Promise<string | null> {
  const problems = problemsOfArgs(job, taken.data)
  if (problems !== null)
    return deadLetter(worker, taken, new Error(`Invalid arguments for ${job.name}: ${problems}`))
  const heartbeat = heartbeatOf(worker, job, taken)
  const ending = endOf(worker, job, { taken, heartbeat })
  try {
    const work = () => Promise.race([run(worker, job, { taken, heartbeat, ending }), ending.error])
    await channel.tracePromise(work, fieldsOf(taken))
    // The job may have caught `LeaseLost` and returned, although some of its writes were rejected.
    heartbeat.check()
    worker.log.debug(fieldsOf(taken), 'the job is done')
    return null
  } catch (error) {
    // From here on, the statements of the job throw, also those of a job that ignores its signal.
    await heartbeat.stop()
    if (error instanceof Unrecoverable) return deadLetter(worker, taken, error)
    if (!worker.stop.aborted) return failure(worker, taken, error)
    const returned = await returnToQueue(worker.db, taken)
    worker.log.info({ ...fieldsOf(taken), returned }, 'the job was stopped: another worker runs it')
    // Has no effect on a job that was returned.
    return 'The worker stopped before the job had ended.'
  } finally {
    ending.clear()
    await heartbeat.stop()
  }
}

interface Running {
  taken: Taken
  heartbeat: Heartbeat
  ending: ReturnType<typeof endOf>
}

async function run(
  { db, log }: JobWorker,
  job: AnyJob,
  { taken, heartbeat, ending: { signal, fail } }: Running,
): Promise<void> {
  const fields = fieldsOf(taken)
  const say = (line: string) => log.info(fields, line)
  const warn = (line: string) => log.warn(fields, line)
  const unit = {
    fence: leaseFence(heartbeat, () => holdsJob(taken)),
    cause: { system: job.name, log: causeLog(warn) },
    fail,
  }
  // A worker that stops may have asked for this job before.
  signal.throwIfAborted()
  const args = job.args.parse(taken.data)
  const { id, attempt } = fields
  await withFence(db, unit, async () => job.run({ args, id, attempt, signal, say, warn }))
  // Node reports the promises that the job has rejected and not awaited.
  await setImmediate()
}

/** Renews the claim to a job, so that no other worker takes it. */
const heartbeatOf = ({ boss }: JobWorker, { name }: AnyJob, taken: Taken) =>
  new Heartbeat({
    task: name,
    lasts: LEASE_SECONDS,
    every: LEASE_SECONDS / 3,
    async beat() {
      const { affected } = (await boss.touch(taken.name, taken)) as { affected: number }
      return affected > 0
    },
  })

/**
 * Returns a signal that aborts when the attempt has to end: at the time limit, when the worker stops, when the claim is lost,
 * and with the error of a promise that the job didn't await. `error` rejects with its reason.
 */
function endOf(
  { stop, log }: JobWorker,
  { name, timeout }: AnyJob,
  { taken, heartbeat }: { taken: Taken; heartbeat: Heartbeat },
) {
  const ended = new AbortController()
  let isOver = false
  const { promise: error, reject } = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    ended.abort(reason)
    reject(reason)
  }
  const onStop = () => end(stop.reason)
  const overdue = () => end(new Error(`${name} was stopped at its time limit of ${timeout} seconds.`))
  const timer = setTimeout(overdue, timeout * 1_000)
  // Not `AbortSignal.any`: the signal of the worker would keep a reference to each attempt.
  stop.addEventListener('abort', onStop, { once: true })
  heartbeat.signal.addEventListener('abort', () => end(heartbeat.signal.reason), { once: true })
  if (stop.aborted) onStop()
  return {
    signal: ended.signal,
    error,
    fail: (err: unknown) => {
      if (isOver) log.error({ ...fieldsOf(taken), err }, 'a promise that the job did not await was rejected')
      else end(err)
    },
    clear() {
      isOver = true
      clearTimeout(timer)
      stop.removeEventListener('abort', onStop)
    },
  }
}

function failure({ log }: JobWorker, taken: Taken, error: unknown): string {
  const isLast = taken.retryCount >= taken.retryLimit
  const fields = { ...fieldsOf(taken), err: error }
  if (isLast) log.error(fields, 'the job failed for the last time')
  else log.warn(fields, 'the job failed, and will run again')
  return messageOf(error)
}

async function deadLetter(worker: JobWorker, taken: Taken, error: Error): Promise<string> {
  try {
    await endRetries(worker.db, taken)
    return failure(worker, { ...taken, retryLimit: taken.retryCount }, error)
  } catch {
    // The database has rejected it, so the job still has its retries.
    return failure(worker, taken, error)
  }
}

const fieldsOf = (taken: Taken) => ({
  job: jobName(taken.name),
  // A dead letter that runs again is a copy of the job.
  id: taken.sourceRootId ?? taken.id,
  attempt: taken.retryCount + 1,
})
