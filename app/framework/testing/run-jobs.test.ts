import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withDatabase } from 'pergola'
import { enqueue, job, prepareJobs, waitingJobs } from 'pergola/jobs'
import { runJobs } from './run-jobs.ts'
import { testDatabase } from './test-database.ts'

const { db } = await testDatabase()
const ran: number[] = []
const count = job('count', {
  args: z.object({ n: z.int() }),
  async run({ args }) {
    ran.push(args.n)
    if (args.n < 0) throw new Error(`${args.n} is negative`)
    if (args.n > 1) await enqueue(count, { n: args.n - 1 })
  },
})
const daily = job('daily', {
  async run() {
    ran.push(0)
    await enqueue(daily, {}, { delay: '1 day' })
  },
})
const jobs = [count, daily]
await prepareJobs(db, jobs)
const here = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

beforeEach(async () => {
  ran.length = 0
  await sql`delete from pgboss.job`.execute(db)
})

describe('runJobs', () => {
  it('runs the jobs that are due, and those that they enqueue', async () => {
    await here(() => enqueue(count, { n: 3 }))
    await runJobs(db, jobs)
    expect(ran).toEqual([3, 2, 1])
    expect(await here(() => waitingJobs())).toEqual([])
  })

  it('runs delayed jobs only with `delayed`, and once', async () => {
    await here(() => enqueue(daily, {}, { delay: '1 day' }))
    await runJobs(db, jobs)
    expect(ran).toEqual([])
    await runJobs(db, jobs, { delayed: true })
    expect(ran).toEqual([0])
    expect(await here(() => waitingJobs())).toHaveLength(1)
  })

  it('throws the error of a job after the others have run, and the job waits for its next attempt', async () => {
    await here(async () => {
      await enqueue(count, { n: -1 })
      await enqueue(count, { n: 1 })
    })
    await expect(runJobs(db, jobs)).rejects.toThrow('-1 is negative')
    expect(ran.toSorted((one, other) => one - other)).toEqual([-1, 1])
    expect(await here(() => waitingJobs())).toMatchObject([
      { args: { n: -1 }, attempts: 1, error: '-1 is negative' },
    ])
  })
})
