import type { PgBoss, QueueOptions } from 'pg-boss'
import { executor } from '../database/executor.ts'
import type { AnyJob } from './job.ts'

/** The schema of pg-boss's tables. */
export const SCHEMA = 'pgboss'

/** The queue of the jobs that failed for good. No job or task can have its name. */
export const DEAD_LETTERS = 'dead-letters/jobs'

const PREFIX = 'jobs/'

/** The name of a job's queue: a scheduled task with the same name has a queue too. */
export const queueName = ({ name }: Pick<AnyJob, 'name'>): string => PREFIX + name

/** Returns the name of the job whose queue this is. */
export const jobName = (queue: string): string => queue.replace(PREFIX, '')

/** Seconds without a heartbeat after which a worker loses its job. This is the minimum of pg-boss. */
export const LEASE_SECONDS = 10

/** Jobs that wait and dead letters are not deleted before they run: ten years. */
const UNLIMITED = 10 * 365 * 86_400

/** Seconds after which jobs that are done are deleted: no list shows them. */
const DONE = 3_600

/** The options of the queue of dead letters. */
export const DEAD_LETTER_QUEUE = { policy: 'standard', retentionSeconds: UNLIMITED }

/** Returns the options of a job's queue. Its policy can't be changed later. */
export const queueOptions = (job: AnyJob) =>
  ({
    // One job with the same key waits for its first attempt.
    policy: 'short',
    notify: true,
    deadLetter: DEAD_LETTERS,
    retryLimit: job.retries,
    retryDelay: job.backoff,
    retryBackoff: true,
    retryDelayMax: 3_600,
    // The worker ends the attempt itself at the time limit. This one is for a worker whose event loop is blocked.
    expireInSeconds: job.timeout + 30,
    heartbeatSeconds: LEASE_SECONDS,
    retentionSeconds: UNLIMITED,
    deleteAfterSeconds: DONE,
  }) satisfies QueueOptions & Record<string, unknown>

let opened: Promise<PgBoss> | undefined

/**
 * Returns pg-boss for single statements in the database and the transaction of the running code. It has no connection, and
 * no timers, since it is never started. Loaded with its first use, so that servers which enqueue no jobs don't load it.
 */
export const bossHere = (): Promise<PgBoss> =>
  (opened ??= import('pg-boss').then(
    ({ fromKysely, PgBoss }) =>
      new PgBoss({
        schema: SCHEMA,
        db: { executeSql: (text, values) => fromKysely(executor()).executeSql(text, values) },
      }),
  ))

/** Loads what `enqueue` needs, so that a server doesn't read its files later: a deploy may have replaced them. */
export async function loadQueues(): Promise<void> {
  await bossHere()
}
