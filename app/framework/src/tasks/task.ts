import { z } from 'zod'
import type { Progress } from '../lists/batches/progress.ts'

/** A run of a task, as its `run` function receives it. */
export interface TaskRun<Args> {
  /** The arguments, with their defaults. */
  readonly args: Args
  /** If true, the task must only report its effects: statements that write throw. */
  readonly dryRun: boolean
  /** Aborts when the run should stop: pass it to a walk, or call `signal.throwIfAborted()` between two batches. */
  readonly signal: AbortSignal
  /** The last checkpoint of the run that this one resumes; null at the start. */
  readonly position: string | null
  /**
   * Stores the position at which `--resume` continues. Call it in the transaction of the work, so that Postgres commits
   * both or neither.
   * Throws `LeaseLost` if another process has taken over the task. Costs one update.
   */
  readonly checkpoint: (position: string | null) => Promise<void>
  /** Updates the progress bar and the history. Sends no query: call it after each batch. */
  readonly progress: (progress: Progress) => void
  /** Prints a line of the result, to stdout or the worker's log. */
  readonly say: (line: string) => void
  /** Prints a warning, to stderr or the worker's log. */
  readonly warn: (line: string) => void
}

interface TaskOptions<Args extends z.ZodObject> {
  /** A sentence for lists and help. */
  description: string
  /** The schema of the arguments; each key is a flag. */
  args?: Args
  /** Whether the task supports `--dry-run`. */
  dryRun?: boolean
  /** A cron expression of five fields in UTC. `cli worker` then runs the task with its default arguments. */
  schedule?: string
  /** Does the work. If it throws the reason of `signal`, the run is interrupted; with any other error, it fails. */
  run: (run: TaskRun<z.output<Args>>) => Promise<void>
}

/** A declared task, with any arguments. */
export interface AnyTask {
  readonly name: string
  readonly description: string
  readonly args: z.ZodObject
  readonly dryRun: boolean
  readonly schedule: string | null
  run(run: TaskRun<object>): Promise<void>
}

const nothing = z.object({})

/**
 * Declares a task for `cli task <name>` and, with a `schedule`, for `cli worker`. Each key of `args` is a flag:
 * `perPage` is `--per-page`. Only one run of a task is active at a time, across all machines.
 *
 * Throws if the name is not in lower case with hyphens, if the schedule doesn't have five fields, and if a scheduled
 * task has an argument without a default.
 *
 * ```ts
 * export const pruneSessions = task('prune-sessions', {
 *   description: 'Deletes sessions that have ended.',
 *   schedule: '0 3 * * *', // every day at three o'clock, in UTC
 *   run: async ({ say }) => say(`${await pruneEnded()} sessions deleted.`),
 * })
 * ```
 */
export function task<Args extends z.ZodObject = typeof nothing>(
  name: string,
  { description, args, dryRun = false, schedule, run }: TaskOptions<Args>,
): AnyTask {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(
      `${name} is not a valid task name. Use lower-case letters, digits and hyphens, like recount-posts.`,
    )
  const schema = args ?? nothing
  if (schedule !== undefined) checkSchedule(name, schedule, schema)
  return Object.freeze({ name, description, args: schema, dryRun, schedule: schedule ?? null, run })
}

function checkSchedule(name: string, schedule: string, schema: z.ZodObject): void {
  if (schedule.trim().split(/\s+/).length !== 5)
    throw new Error(`${name}: '${schedule}' is not a schedule. Use five fields, like '0 3 * * *'.`)
  if (!schema.safeParse({}).success)
    throw new Error(`${name} has a schedule, but can't run without arguments. Give each argument a default.`)
}

/**
 * Returns a schema for an argument that is the path of a file. A relative path is resolved from the folder in which the
 * command was called.
 */
export const pathArgument = () => z.string().min(1).meta({ format: 'path' })
