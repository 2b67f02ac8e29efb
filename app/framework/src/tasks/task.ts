import { z } from 'zod'
import type { Progress } from '../repository/batches/progress.ts'

/** What a task is given when it runs. */
export interface TaskRun<Args> {
  readonly args: Args
  /** Say what would be done, and do nothing: statements that write are refused. */
  readonly dryRun: boolean
  /** Aborted when the run is to stop: hand it to a walk, or call `signal.throwIfAborted()` between two batches. */
  readonly signal: AbortSignal
  /** The last checkpoint of the run that this one continues; null when it begins anew. */
  readonly position: string | null
  /**
   * Remembers where `--resume` goes on. Within `inTransaction` it stands or falls with the work, and nobody else can
   * have taken the task over; throws `LeaseLost` when somebody has.
   */
  readonly checkpoint: (position: string | null) => Promise<void>
  /** For the bar on the terminal and the history. Cheap, so call it after each batch. */
  readonly progress: (progress: Progress) => void
  /** A line of the result: stdout, or the worker's log. */
  readonly say: (line: string) => void
  /** A line about what went wrong on the way: stderr, or the worker's log. */
  readonly warn: (line: string) => void
}

interface TaskOptions<Args extends z.ZodObject> {
  /** A sentence, for lists and help. */
  description: string
  /** What may be given on the command line, each key a flag. Nothing, without. */
  args?: Args
  /** It knows `--dry-run`. */
  dryRun?: boolean
  /** When `cli worker` runs it, as a cron expression of five fields in UTC; with the defaults of its arguments. */
  schedule?: string
  /** It is done when this returns. Throws what it was told to stop by, and whatever else keeps it from being done. */
  run: (run: TaskRun<z.output<Args>>) => Promise<void>
}

/** A task of whichever arguments, for lists of them. */
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
 * Work for the command line or a schedule: `cli task <name>`, once it is in `app/tasks/tasks.ts`. One run at a time,
 * whichever machine it is on. Throws for a name or a schedule that is none, and for a schedule without its arguments.
 */
export function task<Args extends z.ZodObject = typeof nothing>(
  name: string,
  { description, args, dryRun = false, schedule, run }: TaskOptions<Args>,
): AnyTask {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(
      `A task's name has small letters, digits and hyphens, like recount-posts, and not: ${name}.`,
    )
  const schema = args ?? nothing
  if (schedule !== undefined) checkSchedule(name, schedule, schema)
  return Object.freeze({
    name,
    description,
    args: schema,
    dryRun,
    schedule: schedule ?? null,
    run,
  }) as AnyTask
}

function checkSchedule(name: string, schedule: string, schema: z.ZodObject): void {
  if (schedule.trim().split(/\s+/).length !== 5)
    throw new Error(`${name}: a schedule has five fields, like '0 3 * * *', and not: ${schedule}.`)
  if (!schema.safeParse({}).success)
    throw new Error(`${name}: nobody is there to give arguments on a schedule. Give each of them a default.`)
}

/** An argument that names a file. A relative one is meant from where the command was called. */
export const pathArgument = () => z.string().min(1).meta({ format: 'path' })
