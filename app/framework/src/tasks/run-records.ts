import { type Insertable, sql } from 'kysely'
import { database } from '../database/executor.ts'
import type { Progress } from '../lists/batches/progress.ts'
import type { Tables } from '../resource/tables.ts'
import { NothingToResume, TaskLocked } from '../leases/task-errors.ts'
import { evict, holderOf, releaseLease, takeLease } from './lease.ts'
import './run-table.ts'

/** The outcome of a run. */
export interface EndedRun {
  readonly id: number
  readonly outcome: 'done' | 'failed' | 'interrupted' | 'lost'
  /** The last checkpoint, where `resume` continues; null without one. */
  readonly position: string | null
  /** The error of a failed run, otherwise null. */
  readonly error: unknown
}

/** The most runs that the history stores for a task. Each new run deletes older ones. */
const REMEMBERED = 500

/** Inserts the record of a run that begins. Returns its id. */
export async function insertRun(run: Insertable<Tables['task_runs']>): Promise<number> {
  const inserted = database().insertInto('task_runs').values(run).returning('id')
  return (await inserted.executeTakeFirstOrThrow()).id
}

/** Acquires the lease of a task for this run. Throws `TaskLocked` if another process holds it. */
export async function lease(task: string, run: number, seconds: number): Promise<void> {
  if (await takeLease(task, run, seconds)) return
  await refuseHeld(task)
  throw new Error(`Another process took over and released ${task} at the same moment. Try again.`)
}

/**
 * Deletes the lease of a task if it has expired or its process is dead, and marks the run that held it as lost. Throws
 * `TaskLocked` if another process holds the lease.
 */
export async function freeTask(task: string): Promise<void> {
  const run = await evict(task)
  if (run === null) return refuseHeld(task)
  await database()
    .updateTable('task_runs')
    .set({ outcome: 'lost', ended_at: sql`heartbeat_at` })
    .where('id', '=', run)
    .where('ended_at', 'is', null)
    .execute()
}

async function refuseHeld(task: string): Promise<void> {
  const holder = await holderOf(task)
  if (holder !== null) throw new TaskLocked(task, holder)
}

/**
 * Returns the last run of a task, to resume it. Throws `NothingToResume` if there is none, or if the last run is done.
 * Ignores dry runs, and runs that failed before their first checkpoint.
 */
export async function lastUnfinished(task: string) {
  const last = await database()
    .selectFrom('task_runs')
    .select(['id', 'args', 'position', 'outcome'])
    .where('task', '=', task)
    .where('dry_run', '=', false)
    .where((is) => is.or([is('outcome', '!=', 'failed'), is('position', 'is not', null)]))
    .where('ended_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined || last.outcome === 'done') throw new NothingToResume(task)
  return last
}

/**
 * Stores the progress and the time of a heartbeat. Does nothing while a transaction of the run locks its row after a
 * checkpoint, since a heartbeat can't wait for that transaction.
 */
export async function storeProgress(run: number, progress: Progress | null): Promise<void> {
  await database()
    .updateTable('task_runs')
    .set({ heartbeat_at: sql`clock_timestamp()`, ...columnsOf(progress) })
    .where('id', 'in', (is) =>
      is
        .selectFrom('task_runs')
        .select('id')
        .where('id', '=', run)
        .where('ended_at', 'is', null)
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}

/** Stores a checkpoint. Returns false if another process has marked the run as lost. */
export async function storePosition(
  run: number,
  position: string | null,
  progress: Progress | null,
): Promise<boolean> {
  const { numUpdatedRows } = await database()
    .updateTable('task_runs')
    .set({ position, ...columnsOf(progress) })
    .where('id', '=', run)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns the last checkpoint of a run; null without one. */
export async function positionOf(run: number): Promise<string | null> {
  const row = await database()
    .selectFrom('task_runs')
    .select('position')
    .where('id', '=', run)
    .executeTakeFirst()
  return row?.position ?? null
}

const columnsOf = (progress: Progress | null) =>
  progress === null ? {} : { rows: progress.rows, share: progress.share }

interface Ending extends Pick<EndedRun, 'outcome'> {
  error: string | null
  progress: Progress | null
}

/** Stores the outcome of a run and releases its lease. Returns the last checkpoint that was committed. */
export async function endRun(run: number, { outcome, error, progress }: Ending): Promise<string | null> {
  await database()
    .updateTable('task_runs')
    .set({ outcome, error, ended_at: sql`clock_timestamp()`, ...columnsOf(progress) })
    .where('id', '=', run)
    .where('ended_at', 'is', null)
    .execute()
  await releaseLease(run)
  return positionOf(run)
}

export async function forgetOldRuns(task: string): Promise<void> {
  await database()
    .deleteFrom('task_runs')
    .where('task', '=', task)
    .where('ended_at', 'is not', null)
    .where('id', '<=', (is) =>
      is
        .selectFrom('task_runs as run')
        .select('run.id')
        .where('run.task', '=', task)
        .orderBy('run.id', 'desc')
        .offset(REMEMBERED)
        .limit(1),
    )
    .execute()
}
