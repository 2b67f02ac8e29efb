import { type Kysely, sql } from 'kysely'
import type { JobWithMetadata } from 'pg-boss'
import { executor, withDatabase } from '../database/executor.ts'
import type { Tables } from '../resource/tables.ts'

/** Identifies an attempt. The name is that of the queue. */
type TakenJob = Pick<JobWithMetadata, 'name' | 'id' | 'retryCount'>

const isTaken = ({ name, id, retryCount }: TakenJob) =>
  sql<boolean>`name = ${name} and id = ${id} and retry_count = ${retryCount} and state = 'active'`

/**
 * Returns whether the worker still has the job. In a transaction, also locks the row until the transaction ends: pg-boss
 * deletes and inserts it before another worker can take the job, so it waits for this lock. Heartbeats don't wait.
 */
export async function holdsJob(taken: TakenJob): Promise<boolean> {
  const { rows } = await sql`select from pgboss.job where ${isTaken(taken)} for key share`.execute(executor())
  return rows.length > 0
}

/**
 * Returns a job to its queue before it has ended, without counting the attempt. Returns false if it can't, because a
 * transaction of the job is still open, or because the database is down: another worker then takes the job when its claim
 * has expired.
 */
export async function returnToQueue(db: Kysely<Tables>, taken: TakenJob): Promise<boolean> {
  // pg-boss counts an attempt when the next one begins, so the limit grows by one.
  const statement = sql`update pgboss.job set state = 'retry', retry_limit = retry_limit + 1, start_after = now()
    where (name, id) in (select name, id from pgboss.job where ${isTaken(taken)} for update skip locked)
    returning id`
  try {
    const { rows } = await withDatabase(db, () => statement.execute(executor()))
    return rows.length > 0
  } catch {
    return false
  }
}

/** Makes this attempt the last one. */
export async function endRetries(db: Kysely<Tables>, taken: TakenJob): Promise<void> {
  const statement = sql`update pgboss.job set retry_limit = retry_count where ${isTaken(taken)}`
  await withDatabase(db, () => statement.execute(executor()))
}
