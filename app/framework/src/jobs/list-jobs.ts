import { type RawBuilder, sql } from 'kysely'
import { executor } from '../database/executor.ts'
import { DEAD_LETTERS, jobName, queueName } from './queues.ts'

/** The numbers of jobs with one name. */
export interface JobCounts {
  readonly name: string
  /** Due now, including those that run again after an error. */
  readonly waiting: number
  /** Due later. */
  readonly delayed: number
  readonly running: number
  /** Dead letters: jobs that failed for the last time. */
  readonly failed: number
}

/** A job that waits, or a dead letter. */
export interface ListedJob {
  readonly id: string
  readonly name: string
  /** The arguments, without `sealed` if the job has encrypted it. */
  readonly args: unknown
  /** The number of attempts so far. */
  readonly attempts: number
  /** When it was enqueued, as RFC 3339 text. */
  readonly created_at: string
  /** When it is due; for a dead letter, when it failed. */
  readonly at: string
  /** The error of the last attempt; null before the first one. */
  readonly error: string | null
}

/**
 * Returns the numbers of jobs that wait, run or have failed, by name. Costs one query; call it within `withDatabase`.
 */
export const countJobs = (): Promise<JobCounts[]> =>
  listed(sql<JobCounts>`
    select coalesce(source_name, name) as name,
      count(*) filter (where name <> ${DEAD_LETTERS} and state < 'active' and start_after <= now())::int as waiting,
      count(*) filter (where state < 'active' and start_after > now())::int as delayed,
      count(*) filter (where state = 'active')::int as running,
      count(*) filter (where name = ${DEAD_LETTERS})::int as failed
    from pgboss.job
    where state <= 'active' and (name = ${DEAD_LETTERS} or starts_with(name, ${queueName({ name: '' })}))
    group by 1 order by 1`)

interface Page {
  /** The name of a job; all jobs without one. */
  name?: string | undefined
  /** Defaults to 50. */
  limit?: number
}

/** Returns the jobs that wait for an attempt, next first. Costs one query; call it within `withDatabase`. */
export const waitingJobs = ({ name, limit = 50 }: Page = {}): Promise<ListedJob[]> =>
  listed(sql<ListedJob>`
    select coalesce(source_root_id, id) as id, name, ${SHOWN} as args, case when started_on is null then 0 else retry_count + 1 end as attempts,
      created_on as created_at, start_after as at, ${messageIn(sql`output`)} as error
    from pgboss.job
    where state < 'active' and ${inQueues(sql`name`, name)}
    order by start_after, 1 limit ${limit}`)

/** Returns the dead letters, latest first. Costs one query; call it within `withDatabase`. */
export const failedJobs = ({ name, limit = 50 }: Page = {}): Promise<ListedJob[]> =>
  listed(sql<ListedJob>`
    select source_root_id as id, source_name as name, ${SHOWN} as args, source_retry_count + 1 as attempts,
      source_created_on as created_at, created_on as at,
      ${messageIn(sql`source_output`)} as error
    from pgboss.job
    where name = ${DEAD_LETTERS} and state < 'active' and ${inQueues(sql`source_name`, name)}
    order by created_on desc, id limit ${limit}`)

// A job may encrypt a part of its arguments into `sealed`: `Fe26.2*1*…`, which is long and can't be read.
const SHOWN = sql`case when starts_with(data->>'sealed', 'Fe26.2*') then data - 'sealed' else data end`

// pg-boss's own errors, such as that of a missing heartbeat, are in `value`.
const messageIn = (column: RawBuilder<unknown>) =>
  sql<string | null>`coalesce(${column}->>'message', ${column}->'value'->>'message')`

const inQueues = (column: RawBuilder<unknown>, name: string | undefined) =>
  name === undefined
    ? sql<boolean>`starts_with(${column}, ${queueName({ name: '' })})`
    : sql<boolean>`${column} = ${queueName({ name })}`

async function listed<Row extends { readonly name: string }>(query: RawBuilder<Row>): Promise<Row[]> {
  const { rows } = await query.execute(executor())
  return rows.map((row) => ({ ...row, name: jobName(row.name) }))
}
