import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { pino } from 'pino'
import { z } from 'zod'
import { database, inTransaction } from 'pergola'
import { connect } from 'pergola/database'
import { handleStrayErrors, job, openBoss, workJobs } from 'pergola/jobs'

interface Tables {
  /** One row for each job that has done its work. */
  counted: { n: number }
  /** What the jobs did: without a unique key. */
  effects: { n: number; pid: number }
}
const tables = () => database() as unknown as Kysely<Tables>
const effect = (n: number) => tables().insertInto('effects').values({ n, pid: process.pid }).execute()

/** Has its effect once, however often it runs. */
export const count = job('count', {
  args: z.object({ n: z.int() }),
  backoff: '1 second',
  run: ({ args }) =>
    inTransaction(async () => {
      const counted = await tables()
        .insertInto('counted')
        .values(args)
        .onConflict((conflict) => conflict.doNothing())
        .returning('n')
        .executeTakeFirst()
      if (counted !== undefined) await effect(args.n)
    }),
})

/** Writes for 30 seconds, in transactions and outside, whatever happens. */
export const write = job('write', {
  backoff: '1 second',
  async run({ attempt }) {
    for (let round = 0; round < 1_500; round++) {
      await (round % 2 === 0 ? inTransaction(() => effect(attempt)) : effect(attempt))
      await sleep(20)
    }
  },
})

/** Rejects a promise that it doesn't await, and waits for more than the time of a test. */
export const stray = job('stray', {
  retries: 0,
  async run({ signal }) {
    void sleep(10).then(() => Promise.reject(new Error('No code awaits this.')))
    await sleep(600_000, undefined, { signal })
  },
})

/** The jobs of the test, which also enqueues them. */
export const jobs = [count, write, stray]

export const connectJobs = (url: string) =>
  connect({
    url,
    poolSize: 10,
    maxWaiting: 100,
    connectTimeout: 5_000,
    statementTimeout: 60_000,
    lockTimeout: 60_000,
    onConnectionError: () => {},
  })

if (process.argv[1] === import.meta.filename) await work()

/** Runs a worker in a process that the test can kill or freeze. */
async function work(): Promise<void> {
  const log = pino({ level: 'warn' })
  handleStrayErrors(log, () => process.exit(1))
  const db = connectJobs(process.argv[2] ?? '')
  const boss = await openBoss(db, log)
  const loops = await workJobs({ boss, db, log }, jobs)
  process.stdout.write('started\n')
  await once(process, 'SIGTERM')
  await loops.stop(5_000)
  await boss.stop({ graceful: false })
  await db.destroy()
}
