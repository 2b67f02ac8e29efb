import { setMaxListeners } from 'node:events'
import type { PgBoss } from 'pg-boss'
import { attempt, type JobWorker, type Taken } from './attempt.ts'
import type { AnyJob } from './job.ts'
import { LEASE_SECONDS, queueName } from './queues.ts'

/** Seconds between two looks for jobs that are due after a delay, and for those of a lost notification. */
const POLL_SECONDS = 2

/** The poll of pg-boss's own loops, of which each job has several. */
const RARELY = 3_600

/** Runs jobs until `stop`. */
export interface JobLoops {
  /**
   * Takes no more jobs, and resolves when no job runs: jobs that take longer than `grace` milliseconds return to their
   * queues.
   */
  stop(grace: number): Promise<void>
}

/**
 * Takes jobs from their queues and runs them. Postgres notifies pg-boss of each job when its transaction commits. Each loop
 * of pg-boss takes one job at a time, so that a long job delays no other.
 */
export async function workJobs(worker: Omit<JobWorker, 'stop'>, jobs: readonly AnyJob[]): Promise<JobLoops> {
  const stopping = new AbortController()
  // Each attempt listens to it.
  setMaxListeners(0, stopping.signal)
  const loops = await Promise.all(jobs.map((job) => startLoops({ ...worker, stop: stopping.signal }, job)))
  const timer = setInterval(() => loops.forEach(({ wake }) => wake()), POLL_SECONDS * 1_000)
  return {
    async stop(grace) {
      clearInterval(timer)
      const late = setTimeout(() => stopping.abort(new Error('The worker is stopping.')), grace)
      await Promise.all(jobs.map((job) => worker.boss.offWork(queueName(job), { wait: true })))
      clearTimeout(late)
    },
  }
}

/** Starts the loops of a job. Returns a function that wakes an idle one. */
async function startLoops(worker: JobWorker, job: AnyJob): Promise<{ wake: () => void }> {
  const { boss } = worker
  const idle = new Set<string>()
  const wake = () => {
    const [next] = idle
    if (next !== undefined) boss.notifyWorker(next)
  }
  for (let count = 0; count < job.concurrency; count++) {
    const loop: string = await startLoop(boss, job, async (taken) => {
      idle.delete(loop)
      // Where one job was, there may be more.
      wake()
      try {
        const error = await attempt(worker, job, taken)
        if (error !== null) throw new AttemptFailed(error)
      } finally {
        idle.add(loop)
        boss.notifyWorker(loop)
      }
    })
    idle.add(loop)
  }
  return { wake }
}

const startLoop = (boss: PgBoss, job: AnyJob, run: (taken: Taken) => Promise<void>) =>
  boss.work(
    queueName(job),
    {
      includeMetadata: true,
      pollingIntervalSeconds: RARELY,
      notifyPollingIntervalSeconds: RARELY,
      // The heartbeat of the attempt renews the claim.
      heartbeatRefreshSeconds: LEASE_SECONDS - 1,
    },
    // By default, pg-boss passes one job at a time.
    ([taken]: Taken[]) => run(taken as Taken),
  )

/** Tells pg-boss that an attempt has failed. Has no stack, which pg-boss would store with the message. */
class AttemptFailed extends Error {
  constructor(message: string) {
    super(message)
    delete this.stack
  }
}
