import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isConnectionLoss } from '../database/database-failure.ts'
import { withDatabase, withFence } from '../database/executor.ts'
import { SqlState, sqlState } from '../database/sql-states.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Progress } from '../lists/batches/progress.ts'
import type { Tables } from '../resource/tables.ts'
import { causeLog } from '../leases/cause-log.ts'
import { EndUnrecorded, messageOf, TaskLocked } from '../leases/task-errors.ts'
import { problemsOf } from './flags.ts'
import { leaseFence, readOnlyFence } from '../leases/fences.ts'
import { Heartbeat } from '../leases/heartbeat.ts'
import { holderOf, holdLease, renewLease } from './lease.ts'
import type { Starter } from './machine.ts'
import {
  type EndedRun,
  endRun,
  freeTask,
  forgetOldRuns,
  insertRun,
  lastUnfinished,
  lease,
  storePosition,
  storeProgress,
} from './run-records.ts'
import { runToItsEnd, StrayError } from './run-to-its-end.ts'
import type { AnyTask, TaskRun } from './task.ts'

/** Receives the lines and the progress of a run. */
export type TaskOutput = Pick<TaskRun<object>, 'say' | 'warn' | 'progress'>

/** Options of `runTask`. */
export interface RunOptions {
  /** The arguments without defaults. Ignored with `resume`, which uses the arguments of the interrupted run. */
  args: object
  dryRun: boolean
  /** Resumes the last run, if it was interrupted. */
  resume: boolean
  /** The process that runs the task: see `starter`. */
  starter: Starter
  /** Seconds without a heartbeat after which another process may take over the task. */
  leaseSeconds: number
  /** Stops the run when it aborts. */
  signal: AbortSignal
  output: TaskOutput
}

interface BegunRun {
  readonly id: number
  /** The arguments with their defaults. */
  readonly args: object
  readonly position: string | null
}

/**
 * Runs a task once and records the run. Returns its outcome; an error of the task is in `error` and is not thrown.
 *
 * Throws `TaskLocked` or `NothingToResume` before the task begins, an error with a sentence for each invalid
 * argument, and `EndUnrecorded` if the outcome can't be stored. In a dry run, a statement that writes throws. Each
 * heartbeat uses one more connection, three times per `leaseSeconds`.
 */
export async function runTask(db: Kysely<Tables>, task: AnyTask, options: RunOptions): Promise<EndedRun> {
  const record = await beginAnyway(db, task, options)
  let progress: Progress | null = null
  const heartbeat = new Heartbeat({
    task: task.name,
    lasts: options.dryRun ? null : options.leaseSeconds,
    every: options.leaseSeconds / 3,
    beat: () => withDatabase(db, () => beat(record.id, progress, options)),
  })
  const run: TaskRun<object> = {
    args: record.args,
    dryRun: options.dryRun,
    signal: AbortSignal.any([options.signal, heartbeat.signal]),
    position: record.position,
    async checkpoint(position) {
      if (!options.dryRun && !(await storePosition(record.id, position, progress))) heartbeat.lose()
    },
    progress(latest) {
      progress = latest
      options.output.progress(latest)
    },
    say: (line) => options.output.say(line),
    warn: (line) => options.output.warn(line),
  }
  const fence = options.dryRun ? readOnlyFence(task) : leaseFence(heartbeat, () => holdLease(record.id))
  const watch = { id: record.id, stop: options.signal, heartbeat, stray: new StrayError(options.output.warn) }
  const cause = { system: task.name, log: causeLog(options.output.warn) }
  const { fail } = watch.stray
  const { outcome, error } = await withFence(db, { fence, cause, fail }, () => runToItsEnd(task, run, watch))
  watch.stray.end()
  await heartbeat.stop()
  const ending = { outcome, error: error === null ? null : messageOf(error), progress }
  const position = await withDatabase(db, () => inTransaction(() => endRun(record.id, ending))).catch(
    (cause: unknown) => {
      throw options.dryRun ? cause : new EndUnrecorded(task.name, outcome, cause)
    },
  )
  return { id: record.id, outcome, position, error }
}

/** How often a run begins again after it lost its connection. */
const ATTEMPTS = 5

/** What is known about the beginning of a run, although its connection may have broken. */
interface Beginning {
  /** How many transactions were begun. */
  attempts: number
  /** The run that the last of them inserted. It may have been committed. */
  id: number | null
}

/**
 * Begins the run. If the connection breaks meanwhile, waits for the database and begins again. Throws if the database
 * couldn't be reached in the first place.
 */
async function beginAnyway(db: Kysely<Tables>, task: AnyTask, options: RunOptions): Promise<BegunRun> {
  const beginning: Beginning = { attempts: 0, id: null }
  for (;;) {
    try {
      return await withDatabase(db, () => begin(task, options, beginning))
    } catch (error) {
      const { attempts } = beginning
      if (!isConnectionLoss(error) || attempts === 0 || attempts >= ATTEMPTS) throw error
    }
    await sleep(500, undefined, { signal: options.signal })
  }
}

/** Inserts the run and acquires its lease, in one transaction. */
async function begin(task: AnyTask, options: RunOptions, beginning: Beginning): Promise<BegunRun> {
  const { name } = task
  try {
    return await inTransaction(async () => {
      const { starter, dryRun } = options
      beginning.attempts++
      if (beginning.id !== null) await endRun(beginning.id, { outcome: 'lost', error: null, progress: null })
      if (!dryRun) await freeTask(name)
      const continues = options.resume ? await lastUnfinished(name) : null
      const args = continues?.args ?? options.args
      const position = continues?.position ?? null
      const id = await insertRun({
        task: name,
        args: JSON.stringify(args),
        dry_run: dryRun,
        continues_id: continues?.id ?? null,
        position,
        ...starter,
      })
      beginning.id = id
      if (!dryRun) await lease(name, id, options.leaseSeconds)
      await forgetOldRuns(name)
      return { id, args: argumentsOf(task, args, options.resume), position }
    })
  } catch (error) {
    throw await lockedInstead(name, error)
  }
}

/**
 * Returns the arguments with their defaults. Throws if they are invalid. The stored arguments of an interrupted run can
 * become invalid if the schema of the task changes.
 */
function argumentsOf(task: AnyTask, args: object, isResumed: boolean): object {
  const { success, data } = task.args.safeParse(args)
  if (success) return data
  const problems = problemsOf(task, args).join(' ')
  throw new Error(
    isResumed
      ? `The arguments of the interrupted run are no longer valid. ${problems} Run ${task.name} without --resume.`
      : `Invalid arguments for ${task.name}: ${problems}`,
  )
}

/** Returns `TaskLocked` in place of a lock timeout: a transaction of the active run locks the row of its lease. */
async function lockedInstead(task: string, error: unknown): Promise<unknown> {
  if (sqlState(error) !== SqlState.lockNotAvailable) return error
  const holder = await holderOf(task)
  return holder === null ? error : new TaskLocked(task, holder)
}

async function beat(run: number, progress: Progress | null, { dryRun, leaseSeconds }: RunOptions) {
  const isOurs = dryRun || (await renewLease(run, leaseSeconds))
  if (isOurs) await storeProgress(run, progress)
  return isOurs
}
