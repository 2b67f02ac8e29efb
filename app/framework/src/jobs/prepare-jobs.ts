import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { PgBoss } from 'pg-boss'
import { capabilitiesOf } from '../database/capabilities.ts'
import { sessionsOf } from '../database/connect.ts'
import type { Tables } from '../resource/tables.ts'
import type { AnyJob } from './job.ts'
import { DEAD_LETTER_QUEUE, DEAD_LETTERS, queueName, queueOptions, SCHEMA } from './queues.ts'

/**
 * Creates or upgrades the tables of pg-boss, and the queues of these jobs: a part of migrating, since it needs the role
 * that may change tables. Opens a connection of its own. Does nothing in a database without advisory locks, which pg-boss
 * needs: such a database serves requests, and `enqueue` throws.
 */
export async function prepareJobs(db: Kysely<Tables>, jobs: readonly AnyJob[]): Promise<void> {
  const isNew = !(await hasSchema(db))
  if (!capabilitiesOf(db).advisoryLocks) return
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    connectionString: urlOf(db),
    schema: SCHEMA,
    createSchema: isNew,
    supervise: false,
    schedule: false,
    bamIntervalSeconds: 10,
    max: 2,
  })
  // The value may be a copy of the error that is not an instance of Error.
  let problem: { message: string } | null = null
  boss.on('error', (error) => (problem = error))
  try {
    await boss.start()
    await createQueues(boss, jobs)
    // It builds indexes after the transaction of an upgrade.
    while ((await boss.getBamStatus()).some(({ status }) => status !== 'completed')) {
      if (problem !== null) throw new Error('The tables of pg-boss could not be upgraded', { cause: problem })
      await sleep(100)
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Creates the queues of these jobs, and updates those that exist. */
export async function createQueues(boss: PgBoss, jobs: readonly AnyJob[]): Promise<void> {
  await boss.createQueue(DEAD_LETTERS, DEAD_LETTER_QUEUE)
  for (const job of jobs) {
    const { policy, ...options } = queueOptions(job)
    await boss.createQueue(queueName(job), { policy, ...options })
    await boss.updateQueue(queueName(job), options)
  }
}

/**
 * Returns the names of the jobs that have no queue in this database, or null if it has no queues at all. Only reads. A
 * database without advisory locks needs no queues: see `prepareJobs`.
 */
export async function missingQueues(db: Kysely<Tables>, jobs: readonly AnyJob[]): Promise<string[] | null> {
  const tables = await sql`select where to_regclass('pgboss.queue') is not null`.execute(db)
  if (!capabilitiesOf(db).advisoryLocks) return []
  if (tables.rows.length === 0) return null
  const { rows } = await sql<{ name: string }>`select name from pgboss.queue`.execute(db)
  const names = new Set(rows.map(({ name }) => name))
  return jobs.filter((job) => !names.has(queueName(job))).map(({ name }) => name)
}

export function urlOf(db: Kysely<Tables>): string {
  const url = sessionsOf(db)?.options.url
  if (url === undefined) throw new Error('Jobs need a database that `connect` returned.')
  return url
}

/** `create schema if not exists` needs the privilege to create schemas even if the schema exists. */
async function hasSchema(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select where to_regnamespace(${SCHEMA}) is not null`.execute(db)
  return rows.length > 0
}
