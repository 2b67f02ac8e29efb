import type { Kysely } from 'kysely'
import { withDatabase } from '../src/database/executor.ts'
import { attempt, type Taken } from '../src/jobs/attempt.ts'
import type { AnyJob } from '../src/jobs/job.ts'
import { bossHere, queueName } from '../src/jobs/queues.ts'
import type { Tables } from '../src/resource/tables.ts'

/** Runs the jobs that are due, and those that they enqueue. See `runJobs` of `TestApp`. */
export async function runJobs(
  db: Kysely<Tables>,
  jobs: readonly AnyJob[],
  { delayed = false }: { delayed?: boolean } = {},
): Promise<void> {
  let ran = 0
  const errors: unknown[] = []
  for (const job of jobs) {
    for (const taken of await withDatabase(db, () => take(job, delayed))) {
      const error = await runOne(db, job, taken)
      if (error !== null) errors.push(error)
      ran++
    }
  }
  if (errors.length > 0) throw errors[0]
  // Without `delayed`: a job may enqueue itself again.
  if (ran > 0) await runJobs(db, jobs)
}

async function take(job: AnyJob, delayed: boolean): Promise<Taken[]> {
  const boss = await bossHere()
  return boss.fetch(queueName(job), { includeMetadata: true, batchSize: 1_000, ignoreStartAfter: delayed })
}

/** Runs a job, stores the outcome and returns the error, or null. */
async function runOne(db: Kysely<Tables>, job: AnyJob, taken: Taken): Promise<unknown> {
  const boss = await bossHere()
  let thrown: unknown = null
  const note = ({ err = null }: { err?: unknown }) => (thrown ??= err)
  const log = { debug: note, info: note, warn: note, error: note }
  const stop = new AbortController().signal
  return withDatabase(db, async () => {
    const message = await attempt({ boss, db, log, stop }, job, taken)
    if (message === null) await boss.complete(taken.name, taken)
    else await boss.fail(taken.name, taken, { message })
    return message === null ? null : (thrown ?? new Error(message))
  })
}
