import { z } from 'zod'
import { type Duration, secondsOf } from '../resource/duration.ts'

/** One attempt to run a job, as its `run` function receives it. */
export interface JobRun<Args> {
  readonly args: Args
  /**
   * The id of the job, which each attempt has, also after `cli jobs retry`. Pass it as the idempotency key to services that
   * accept one.
   */
  readonly id: string
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /**
   * Aborts after the time limit, when the worker has no more time to stop, and when another worker may run the job. Pass
   * it to `fetch` and to walks.
   */
  readonly signal: AbortSignal
  /** Writes a line to the worker's log. */
  readonly say: (line: string) => void
  /** Writes a warning to the worker's log. */
  readonly warn: (line: string) => void
}

interface JobOptions<Args extends z.ZodObject> {
  /** The schema of the arguments, which are stored as JSON. */
  args?: Args
  /** How often a failed job runs again; defaults to 10. An attempt whose worker dies counts too. */
  retries?: number
  /**
   * The delay before the first retry; defaults to 5 seconds. Each further delay is twice as long, up to an hour. Up to
   * the same time is added at random, so that jobs that failed together don't run together again.
   */
  backoff?: Duration
  /** The time limit of an attempt, up to 23 hours; defaults to 5 minutes. */
  timeout?: Duration
  /** The number of these jobs that one worker runs at the same time; defaults to 5. */
  concurrency?: number
  /** Does the work. If it throws, the attempt has failed. */
  run: (run: JobRun<z.output<Args>>) => Promise<void>
}

/** A declared job. `Input` is the type of its arguments. */
export interface Job<Input extends object> {
  readonly name: string
  readonly args: z.ZodObject & z.ZodType<unknown, Input>
  readonly retries: number
  /** Seconds. */
  readonly backoff: number
  /** Seconds. */
  readonly timeout: number
  readonly concurrency: number
  run(run: JobRun<object>): Promise<void>
}

/** A declared job, with any arguments. */
// oxlint-disable-next-line typescript/no-explicit-any -- The type of the arguments is contravariant.
export type AnyJob = Job<any>

const nothing = z.object({})
const LONGEST = 23 * 3_600

/**
 * Declares a job: work that code puts off with `enqueue` and that `cli worker` does, in another process.
 *
 * A job runs at least once: an attempt that fails, or whose worker dies, is repeated, even if it has done all or a part of
 * its work. So let each attempt check what earlier ones have done, and pass `id` to other services as the idempotency key.
 * Write in `inTransaction`: after another worker has taken the job, Postgres rejects the transactions of this attempt.
 *
 * ```ts
 * export const sendWelcome = job('send-welcome', {
 *   args: z.object({ user_id: z.int() }),
 *   async run({ args, id, signal }) {
 *     const user = await users.asSystem('send-welcome').find(args.user_id)
 *     if (user === null || user.welcomed_at !== null) return
 *     await mail.send({ to: user.email, idempotencyKey: id, signal })
 *     await users.asSystem('send-welcome').update(user.id, { welcomed_at: new Date().toISOString() })
 *   },
 * })
 * ```
 *
 * List it in `app/jobs/jobs.ts`. Throws if the name is not in lower case with hyphens, and if an option is out of range.
 */
export function job<Args extends z.ZodObject = typeof nothing>(
  name: string,
  options: JobOptions<Args>,
): Job<z.input<Args>> {
  const { args, retries = 10, backoff = '5 seconds', timeout = '5 minutes', concurrency = 5, run } = options
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(
      `${name} is not a valid job name. Use lower-case letters, digits and hyphens, like send-welcome.`,
    )
  const seconds = { backoff: secondsOf(backoff), timeout: secondsOf(timeout) }
  checkRange(`${name}: retries`, retries, [0, 100])
  checkRange(`${name}: concurrency`, concurrency, [1, 100])
  checkRange(`${name}: backoff in seconds`, seconds.backoff, [1, 3_600])
  checkRange(`${name}: timeout in seconds`, seconds.timeout, [1, LONGEST])
  const schema = (args ?? nothing) as unknown as Job<z.input<Args>>['args']
  return Object.freeze({ name, args: schema, retries, ...seconds, concurrency, run })
}

function checkRange(what: string, value: number, [least, most]: readonly [number, number]): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Error(`${what} is ${value}. Valid values: whole numbers from ${least} to ${most}.`)
}
