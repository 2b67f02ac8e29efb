import { randomUUID } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { z } from 'zod'
import { SqlState, sqlState } from '../database/sql-states.ts'
import { currentTenant } from '../rows/tenant.ts'
import { type Duration, secondsOf } from '../resource/duration.ts'
import type { AnyJob, Job } from './job.ts'
import { bossHere, queueName } from './queues.ts'

/** When a job runs: after `delay`, or at a time. */
export type EnqueueOptions = {
  /** Enqueues nothing if a job with the same name and key waits for its first attempt. Each tenant has keys of its own. */
  key?: string
  /** Jobs with a higher number run before others with the same name that are due; defaults to 0. */
  priority?: number
} & ({ delay?: Duration; at?: never } | { at?: Date; delay?: never })

/**
 * Stores a job that `cli worker` runs. Within `inTransaction` the job is part of the transaction: it starts after the
 * commit, and a rollback removes it. Returns the id of the job, or null if one with the same `key` waits already. Costs
 * one insert.
 *
 * Throws if the arguments don't fit the schema of the job.
 *
 * ```ts
 * await inTransaction(async () => {
 *   const user = await users.insert(draft)
 *   await enqueue(sendWelcome, { user_id: user.id }, { delay: '5 minutes' })
 * })
 * ```
 */
export async function enqueue<Input extends object>(
  job: Job<Input>,
  args: Input,
  { key, ...options }: EnqueueOptions = {},
): Promise<string | null> {
  const data = storedArgs(job, args)
  const boss = await bossHere()
  try {
    const id = await boss.send(queueName(job), data, {
      // Only jobs with the same key replace each other.
      singletonKey: key === undefined ? randomUUID() : ownKey(key),
      ...storedOptions(options),
    })
    if (id === null && (key === undefined || (await boss.getQueue(queueName(job))) === null))
      throw new Error(`The queue of ${job.name} is missing`)
    if (id !== null) channel('pergola:enqueue').publish({ job: job.name })
    return id
  } catch (error) {
    throw withRemedy(error, job)
  }
}

/** Returns the options of a job in the form of pg-boss. */
function storedOptions({ priority, delay, at }: EnqueueOptions) {
  const startAfter = delay === undefined ? at : secondsOf(delay)
  return { ...(priority !== undefined && { priority }), ...(startAfter !== undefined && { startAfter }) }
}

/** Returns a key that differs from those of other tenants, `["7","welcome"]`. Without a tenant, the key itself. */
function ownKey(key: string): string {
  const tenant = currentTenant()
  return tenant === null ? key : JSON.stringify([String(tenant), key])
}

/** Returns the arguments as they arrive in the worker, which reads them from JSON. Throws if they are invalid then. */
function storedArgs(job: AnyJob, args: object): object {
  const data = JSON.parse(JSON.stringify(args)) as object
  const problems = problemsOfArgs(job, data)
  if (problems !== null) throw new Error(`Invalid arguments for ${job.name}: ${problems}`)
  return data
}

/** Returns a sentence for each invalid argument, `user_id: Invalid input.`, or null if all are valid. */
export function problemsOfArgs(job: AnyJob, args: unknown): string | null {
  const { error } = job.args.safeParse(args)
  return error === undefined ? null : issuesInWords(error)
}

/** Returns a sentence for each issue, without values: `user_id: Invalid input.` */
export const issuesInWords = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => [...path.map(String), message.replace(/\.?$/, '.')].join(': ')).join(' ')

const isMissing = (error: unknown) =>
  sqlState(error) === SqlState.undefinedTable ||
  (error instanceof Error && /^(?:The queue|Queue) .* (?:is missing|does not exist)$/.test(error.message))

/** Returns the error, or one with the remedy for a missing queue. */
function withRemedy(cause: unknown, { name }: AnyJob): unknown {
  const remedy = 'List the job in app/jobs/jobs.ts, then run npx cli db migrate.'
  return isMissing(cause)
    ? new Error(`The database has no queue for the job ${name}. ${remedy}`, { cause })
    : cause
}
