import { performance } from 'node:perf_hooks'
import { type Kysely, sql } from 'kysely'
import type { PgBoss } from 'pg-boss'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { database, inTransaction, withDatabase } from 'pergola'
import { enqueue, type Job, job, prepareJobs } from 'pergola/jobs'
import { testDatabase } from 'pergola/testing'
import { startJobs } from '../test/fixtures/job-worker.ts'
import { median } from './measure.ts'

const JOBS = 3_000
const ROUNDS = 3

const { db } = await testDatabase()
await sql`create table done (n integer not null)`.execute(db)
const done = () => database() as unknown as Kysely<{ done: { n: number } }>
const args = z.object({ n: z.int() })
/** The work of each small job: one transaction with one insert. */
const write = (n: number) => inTransaction(() => done().insertInto('done').values({ n }).execute())
const small = job('small', { args, run: async ({ args }) => void (await write(args.n)) })
const other = job('other', { args, run: async () => {} })

const enqueueAll = (job: Job<{ n: number }>) =>
  withDatabase(db, () =>
    inTransaction(async () => {
      for (let n = 0; n < JOBS; n++) await enqueue(job, { n })
    }),
  )
const count = async () =>
  (await sql<{ count: number }>`select count(*)::int as count from done`.execute(db)).rows[0]?.count

/** Returns how many jobs of a second `work` does. It begins after all of them were enqueued. */
async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  await expect.poll(count, { interval: 20, timeout: 120_000 }).toBe(JOBS)
  await sql`truncate done`.execute(db)
  return JOBS / ((performance.now() - started) / 1_000)
}

/** The loop that pg-boss documents: fetch a job, do the work, complete the job. Five at a time, like the default. */
async function ownLoop(boss: PgBoss): Promise<void> {
  const loop = async () => {
    for (;;) {
      const [taken] = await boss.fetch<{ n: number }>('jobs/other')
      if (taken === undefined) return
      await withDatabase(db, () => write(taken.data.n))
      await boss.complete('jobs/other', taken)
    }
  }
  await Promise.all(Array.from({ length: 5 }, loop))
}

it(`runs ${JOBS} small jobs in turns with the fetch and complete of pg-boss`, async () => {
  const rates: { jobs: number[]; loop: number[] } = { jobs: [], loop: [] }
  await (await startJobs(db, [other])).stop()
  for (let round = 0; round < ROUNDS; round++) {
    await prepareJobs(db, [small])
    await enqueueAll(small)
    const worker = { stop: async () => {} }
    rates.jobs.push(await perSecond(async () => Object.assign(worker, await startJobs(db, [small]))))
    await worker.stop()
    const looping = await startJobs(db, [])
    await enqueueAll(other)
    rates.loop.push(await perSecond(() => ownLoop(looping.boss)))
    await looping.stop()
  }
  expect(await count()).toBe(0)
  // oxlint-disable-next-line no-console
  console.table({
    'jobs/s': Math.round(median(rates.jobs)),
    'fetch + complete/s': Math.round(median(rates.loop)),
  })
})

it('starts a job after its commit', async () => {
  const times: number[] = []
  let begun = Promise.withResolvers<void>()
  const note = job('note', { run: async () => begun.resolve() })
  await startJobs(db, [note])
  for (let round = 0; round < 100; round++) {
    begun = Promise.withResolvers<void>()
    await withDatabase(db, () => inTransaction(() => enqueue(note, {})))
    const committed = performance.now()
    await begun.promise
    times.push(performance.now() - committed)
  }
  expect(times).toHaveLength(100)
  // oxlint-disable-next-line no-console
  console.table({ 'median ms': median(times).toFixed(1), 'slowest ms': Math.max(...times).toFixed(1) })
})
