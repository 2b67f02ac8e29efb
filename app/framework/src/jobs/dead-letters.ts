import { sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { bossHere, DEAD_LETTERS, queueName } from './queues.ts'

/** Jobs by their ids, or all dead letters of the jobs with this name. */
export type JobChoice = { ids: readonly string[]; name?: never } | { name: string; ids?: never }

/** The most jobs of one statement. */
const BATCH = 1_000

/**
 * Moves dead letters back to their queues, with all their attempts, and makes jobs due that wait, if their ids are listed.
 * Returns the number of these jobs: without unknown ids, and without a job that was enqueued again with the same key. Call
 * it within `withDatabase`.
 */
export async function retryJobs(choice: JobChoice): Promise<number> {
  const boss = await bossHere()
  let moved = await makeDue(choice.ids ?? [])
  for await (const ids of deadLetters(choice)) moved += await boss.redrive(DEAD_LETTERS, { ids })
  return moved
}

/** Ends the delay of jobs that wait. Workers look for such jobs every two seconds. */
async function makeDue(ids: readonly string[]): Promise<number> {
  const { rows } = await sql`
    update pgboss.job set start_after = least(start_after, now())
    where ${isWaiting(ids)} returning id`.execute(executor())
  return rows.length
}

/**
 * Deletes dead letters, and jobs that wait, if their ids are listed. Returns their number. Call it within `withDatabase`.
 */
export async function discardJobs(choice: JobChoice): Promise<number> {
  const boss = await bossHere()
  let discarded = 0
  for await (const ids of deadLetters(choice)) {
    await boss.deleteJob(DEAD_LETTERS, ids)
    discarded += ids.length
  }
  const { rows } = await sql<{ name: string; ids: string[] }>`
    select name, array_agg(id::text) as ids from pgboss.job
    where ${isWaiting(choice.ids ?? [])}
    group by name`.execute(executor())
  for (const { name, ids } of rows) {
    await boss.deleteJob(name, ids)
    discarded += ids.length
  }
  return discarded
}

/** Yields the ids of dead letters in their own queue. Each batch must be moved or deleted before the next. */
async function* deadLetters(choice: JobChoice): AsyncGenerator<string[]> {
  const chosen =
    choice.ids === undefined
      ? sql<boolean>`source_name = ${queueName(choice)}`
      : sql<boolean>`source_root_id = any(${uuidsIn(choice.ids)}::uuid[])`
  for (let last = ''; ;) {
    const { rows } = await sql<{ id: string }>`
      select id from pgboss.job
      where name = ${DEAD_LETTERS} and state < 'active' and ${chosen} and id::text > ${last}
      order by id::text limit ${BATCH}`.execute(executor())
    const ids = rows.map(({ id }) => id)
    const end = ids.at(-1)
    if (end === undefined) return
    yield ids
    last = end
  }
}

const isWaiting = (ids: readonly string[]) =>
  sql<boolean>`state < 'active' and starts_with(name, ${queueName({ name: '' })})
    and coalesce(source_root_id, id) = any(${uuidsIn(ids)}::uuid[])`

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const uuidsIn = (ids: readonly string[]) => ids.filter((id) => UUID.test(id))
