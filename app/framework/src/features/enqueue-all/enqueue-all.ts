import { randomUUID } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { inTransaction } from '../../database/transaction.ts'
import { type EnqueueOptions, storedArgs, storedOptions, withRemedy } from '../../jobs/enqueue.ts'
import type { Job } from '../../jobs/job.ts'
import { bossHere, queueName } from '../../jobs/queues.ts'

/** The most jobs of one statement. */
const BATCH = 5_000

/**
 * Stores a job for each of these arguments: all or none, also outside of a transaction. Costs one insert for 5,000 of them. Throws like `enqueue`.
 *
 * ```ts
 * await enqueueAll(remind, users.map(({ id }) => ({ user_id: id })), { priority: -1 })
 * ```
 */
export async function enqueueAll<Input extends object>(
  job: Job<Input>,
  argsList: readonly Input[],
  options: EnqueueOptions & { key?: never } = {},
): Promise<void> {
  const jobs = argsList.map((args) => ({
    data: storedArgs(job, args),
    ...storedOptions(options),
    singletonKey: randomUUID(),
  }))
  const boss = await bossHere()
  try {
    await inTransaction(async () => {
      for (let at = 0; at < jobs.length; at += BATCH)
        await boss.insert(queueName(job), jobs.slice(at, at + BATCH))
    })
    for (const _ of jobs) channel('pergola:enqueue').publish({ job: job.name })
  } catch (error) {
    throw withRemedy(error, job)
  }
}
