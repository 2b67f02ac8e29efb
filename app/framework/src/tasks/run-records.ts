import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import type { Progress } from '../lists/batches/progress.ts'
import { NothingToResume, TaskLocked } from './errors.ts'
import { evict, holderOf, releaseLease, takeLease } from './lease.ts'
import type { Starter } from './machine.ts'
import './run-table.ts'

/** Older ones of a task are forgotten when it is run again. */
const REMEMBERED = 500

export interface NewRun {
  task: string
  args: object
  dryRun: boolean
  starter: Starter
  /** The run to go on with; null begins. */
  continues: { id: number; position: string | null } | null
}

/** A run that is under way, in the database's words. */
export async function insertRun({ task, args, dryRun, starter, continues }: NewRun): Promise<number> {
  const { id } = await database()
    .insertInto('task_runs')
    .values({
      task,
      args: JSON.stringify(args),
      dry_run: dryRun,
      continues_id: continues?.id ?? null,
      position: continues?.position ?? null,
      ...starter,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Gives the lease to this run. Throws `TaskLocked` when somebody was faster. */
export async function lease(task: string, run: number, seconds: number): Promise<void> {
  if (await takeLease(task, run, seconds)) return
  await refuseHeld(task)
  throw new Error(`${task} was taken and given back at the same moment. Try again.`)
}

/** Throws `TaskLocked` when somebody has the task; takes it from whoever died with it, and says so of their run. */
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

export interface Unfinished {
  readonly id: number
  readonly args: object
  readonly position: string | null
}

/**
 * The last run of a task, where it stopped on its way. Throws `NothingToResume` when there is none, or when it was done;
 * one that failed before its first checkpoint had not begun.
 */
export async function lastUnfinished(task: string): Promise<Unfinished> {
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

/** Left out while the run has its row in a transaction of its own, behind a checkpoint: a beat can't wait for that. */
export async function noteProgress(run: number, progress: Progress | null): Promise<void> {
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

/** False when the run was declared lost meanwhile. */
export async function notePosition(
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

const columnsOf = (progress: Progress | null) =>
  progress === null ? {} : { rows: progress.rows, share: progress.share }

interface Ending {
  outcome: 'done' | 'failed' | 'interrupted' | 'lost'
  error: string | null
  progress: Progress | null
}

/** Ends the run and gives the task back; the position that stands. */
export async function endRun(run: number, { outcome, error, progress }: Ending): Promise<string | null> {
  await database()
    .updateTable('task_runs')
    .set({ outcome, error, ended_at: sql`clock_timestamp()`, ...columnsOf(progress) })
    .where('id', '=', run)
    .where('ended_at', 'is', null)
    .execute()
  await releaseLease(run)
  const ended = await database()
    .selectFrom('task_runs')
    .select(['position'])
    .where('id', '=', run)
    .executeTakeFirst()
  return ended?.position ?? null
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
