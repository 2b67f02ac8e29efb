import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import type { Holder } from '../leases/task-errors.ts'
import { isAlive, machineId } from './machine.ts'
import './run-table.ts'

// A lease is a row with an expiry time: the right of one run to execute a task. It belongs to no database session, so
// that it also works through a connection pooler. All times come from the clock of the database.

const inSeconds = (seconds: number) =>
  sql<string>`clock_timestamp() + make_interval(secs => ${sql.lit(seconds)})`
const hasExpired = sql<boolean>`expires_at <= clock_timestamp()`

/**
 * Deletes the lease of a task if it has expired, or if its process on this machine is dead. Returns the run that held
 * it, or null. Waits for an open transaction of that run, which may still commit.
 */
export async function evict(task: string): Promise<number | null> {
  const holder = await holderOf(task)
  const dead = holder !== null && isDead(holder) ? [holder.run] : []
  const evicted = await database()
    .deleteFrom('task_leases')
    .where('task', '=', task)
    .where((is) => is.or([hasExpired, is('run_id', 'in', dead)]))
    .returning('run_id')
    .executeTakeFirst()
  return evicted?.run_id ?? null
}

const isDead = ({ machine, pid }: Holder): boolean =>
  machine !== null && machine === machineId() && !isAlive(pid)

/** Acquires the lease of a task for a run. Returns false if another run has a lease, even an expired one. */
export async function takeLease(task: string, run_id: number, seconds: number): Promise<boolean> {
  const lease = await database()
    .insertInto('task_leases')
    .values({ task, run_id, machine: machineId(), expires_at: inSeconds(seconds) })
    .onConflict((conflict) => conflict.column('task').doNothing())
    .returning('run_id')
    .executeTakeFirst()
  return lease !== undefined
}

/** Extends the lease of a run. Returns false if the run has no lease, or if its lease has expired. */
export async function renewLease(run: number, seconds: number): Promise<boolean> {
  const renewed = await database()
    .updateTable('task_leases')
    .set({ expires_at: inSeconds(seconds) })
    .where('run_id', '=', run)
    .where(sql<boolean>`not ${hasExpired}`)
    .returning('run_id')
    .executeTakeFirst()
  return renewed !== undefined
}

/**
 * Returns whether the run holds a valid lease. In a transaction, also locks the row until the transaction ends. A
 * process that takes over the task deletes the row, so it waits for this lock. A renewal doesn't wait.
 */
export async function holdLease(run: number): Promise<boolean> {
  const held = await database()
    .selectFrom('task_leases')
    .select('run_id')
    .where('run_id', '=', run)
    .where(sql<boolean>`not ${hasExpired}`)
    .forKeyShare()
    .executeTakeFirst()
  return held !== undefined
}

export async function releaseLease(run: number): Promise<void> {
  await database().deleteFrom('task_leases').where('run_id', '=', run).execute()
}

/** Returns the run that has the lease of a task, or null. */
export async function holderOf(task: string): Promise<Holder | null> {
  const holder = await database()
    .selectFrom('task_leases')
    .innerJoin('task_runs', 'task_runs.id', 'task_leases.run_id')
    .select(['task_runs.id as run', 'started_by', 'host', 'pid', 'started_at', 'expires_at', 'machine'])
    .where('task_leases.task', '=', task)
    .executeTakeFirst()
  return holder ?? null
}
