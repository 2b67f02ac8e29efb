import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import type { Holder } from './errors.ts'
import { isAlive, machineId } from './machine.ts'
import './run-table.ts'

// A row with an expiry and nothing that belongs to a session: it holds through a pooler too. Times are the database's.

const inSeconds = (seconds: number) =>
  sql<string>`clock_timestamp() + make_interval(secs => ${sql.lit(seconds)})`
const hasExpired = sql<boolean>`expires_at <= clock_timestamp()`

/**
 * Takes the lease away from a holder that let it run out, or died on this machine; gives whose it was. Waits for a
 * transaction of that holder, which may still commit.
 */
export async function evict(task: string): Promise<number | null> {
  const dead = await deadRun(task)
  const evicted = await database()
    .deleteFrom('task_leases')
    .where('task', '=', task)
    .where((is) => is.or([hasExpired, ...(dead === null ? [] : [is('run_id', '=', dead)])]))
    .returning('run_id')
    .executeTakeFirst()
  return evicted?.run_id ?? null
}

async function deadRun(task: string): Promise<number | null> {
  const machine = machineId()
  if (machine === null) return null
  const holder = await database()
    .selectFrom('task_leases')
    .innerJoin('task_runs', 'task_runs.id', 'task_leases.run_id')
    .select(['run_id', 'pid'])
    .where('task_leases.task', '=', task)
    .where('machine', '=', machine)
    .executeTakeFirst()
  return holder === undefined || isAlive(holder.pid) ? null : holder.run_id
}

/** Whether this run has the lease from now on; no when somebody has it. */
export async function takeLease(task: string, run_id: number, seconds: number): Promise<boolean> {
  const taken = await database()
    .insertInto('task_leases')
    .values({ task, run_id, machine: machineId(), expires_at: inSeconds(seconds) })
    .onConflict((conflict) => conflict.column('task').doNothing())
    .returning('run_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Whether this run still has it, and now for longer. One that has run out is not renewed. */
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
 * Whether this run has it, and in a transaction keeps it until that ends: whoever wants to take it over deletes the row,
 * and waits for this lock. A renewal doesn't.
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

/** Null when nobody has it. */
export async function holderOf(task: string): Promise<Holder | null> {
  const holder = await database()
    .selectFrom('task_leases')
    .innerJoin('task_runs', 'task_runs.id', 'task_leases.run_id')
    .select(['task_runs.id as run', 'started_by', 'host', 'pid', 'started_at', 'expires_at'])
    .where('task_leases.task', '=', task)
    .executeTakeFirst()
  return holder ?? null
}
