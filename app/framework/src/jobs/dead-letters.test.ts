import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { database, withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { enqueueIn, startJobs } from '../../test/fixtures/job-worker.ts'
import { discardJobs, retryJobs } from './dead-letters.ts'
import { job } from './job.ts'
import { countJobs, failedJobs, waitingJobs } from './list-jobs.ts'
import { prepareJobs } from './prepare-jobs.ts'

const { db } = await testDatabase()
await sql`create table done (n integer not null)`.execute(db)
const done = () => database() as unknown as Kysely<{ done: { n: number } }>

const args = z.object({ n: z.int() })
let isBroken = true
const seen: string[] = []
const poison = job('poison', {
  args,
  retries: 0,
  async run({ args, id }) {
    seen.push(id)
    if (isBroken) throw new Error(`no ${args.n}`)
    await done().insertInto('done').values(args).execute()
  },
})
const later = job('later', { args, run: async () => {} })
const secret = job('secret', { args: z.object({ sealed: z.string() }), run: async () => {} })
await prepareJobs(db, [poison, later, secret])

const enqueueNow = enqueueIn(db)
const here = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const failed = () => here(() => failedJobs())
const written = async () =>
  (await sql<{ n: number }>`select n from done order by n`.execute(db)).rows.map(({ n }) => n)

beforeEach(async () => {
  isBroken = true
  seen.length = 0
  await sql`delete from pgboss.job`.execute(db)
  await sql`delete from done`.execute(db)
})

describe('countJobs', () => {
  it('counts jobs by name and state', async () => {
    await startJobs(db, [poison])
    await enqueueNow(poison, { n: 1 })
    await enqueueNow(later, { n: 2 })
    await enqueueNow(later, { n: 3 }, { delay: '1 hour' })
    await expect.poll(failed).toHaveLength(1)
    expect(await here(countJobs)).toEqual([
      { name: 'later', waiting: 1, delayed: 1, running: 0, failed: 0 },
      { name: 'poison', waiting: 0, delayed: 0, running: 0, failed: 1 },
    ])
  })
})

describe('waitingJobs', () => {
  it('lists the jobs that wait, next first', async () => {
    const second = await enqueueNow(later, { n: 2 }, { delay: '1 hour' })
    const first = await enqueueNow(later, { n: 1 })
    const jobs = await here(() => waitingJobs())
    expect(jobs).toMatchObject([
      { id: first, name: 'later', args: { n: 1 }, attempts: 0, error: null },
      { id: second, args: { n: 2 } },
    ])
    expect(await here(() => waitingJobs({ name: 'later', limit: 1 }))).toHaveLength(1)
    expect(await here(() => waitingJobs({ name: 'poison' }))).toEqual([])
  })

  it('leaves out an encrypted argument, and no other', async () => {
    const shown = async (sealed: string) => {
      await enqueueNow(secret, { sealed })
      return (await here(() => waitingJobs({ name: 'secret', limit: 1 })))[0]?.args
    }
    expect(await shown('Fe26.2*1*0f3a')).toEqual({})
    await sql`delete from pgboss.job`.execute(db)
    expect(await shown('an envelope')).toEqual({ sealed: 'an envelope' })
  })
})

describe('retryJobs', () => {
  it('runs a dead letter again, with the same id', async () => {
    await startJobs(db, [poison])
    const id = await enqueueNow(poison, { n: 1 })
    await expect
      .poll(failed)
      .toMatchObject([{ id, name: 'poison', args: { n: 1 }, attempts: 1, error: 'no 1' }])
    isBroken = false
    expect(await here(() => retryJobs({ ids: [id ?? ''] }))).toBe(1)
    await expect.poll(written).toEqual([1])
    expect(seen).toEqual([id, id])
    expect(await failed()).toEqual([])
  })

  it('has the same id after a second failure', async () => {
    await startJobs(db, [poison])
    const id = await enqueueNow(poison, { n: 1 })
    await expect.poll(failed).toHaveLength(1)
    await here(() => retryJobs({ ids: [id ?? ''] }))
    await expect.poll(() => seen.length).toBe(2)
    await expect.poll(failed).toMatchObject([{ id }])
  })

  it('runs all dead letters of a job again', async () => {
    await startJobs(db, [poison])
    for (let n = 1; n <= 5; n++) await enqueueNow(poison, { n })
    await expect.poll(failed).toHaveLength(5)
    isBroken = false
    expect(await here(() => retryJobs({ name: 'later' }))).toBe(0)
    expect(await here(() => retryJobs({ name: 'poison' }))).toBe(5)
    await expect.poll(written).toEqual([1, 2, 3, 4, 5])
  })

  it('makes the listed jobs due that wait', async () => {
    const id = await enqueueNow(later, { n: 1 }, { delay: '1 hour' })
    const other = await enqueueNow(later, { n: 2 }, { delay: '1 hour' })
    expect(await here(() => retryJobs({ ids: [id ?? ''] }))).toBe(1)
    expect(await here(countJobs)).toMatchObject([{ name: 'later', waiting: 1, delayed: 1 }])
    expect(await here(() => retryJobs({ name: 'later' }))).toBe(0)
    expect((await here(() => waitingJobs())).map(({ id }) => id)).toEqual([id, other])
  })

  it('lists a dead letter that waits again with its first id', async () => {
    const { stop } = await startJobs(db, [poison])
    const id = await enqueueNow(poison, { n: 1 })
    await expect.poll(failed).toHaveLength(1)
    await stop()
    await here(() => retryJobs({ ids: [id ?? ''] }))
    expect(await here(() => waitingJobs())).toMatchObject([{ id }])
  })

  it('ignores unknown ids and other text', async () => {
    const ids = ['00000000-0000-4000-8000-000000000000', "x' or true", '']
    expect(await here(() => retryJobs({ ids }))).toBe(0)
    expect(await here(() => discardJobs({ ids }))).toBe(0)
  })
})

describe('discardJobs', () => {
  it('deletes dead letters and jobs that wait', async () => {
    await startJobs(db, [poison])
    const dead = await enqueueNow(poison, { n: 1 })
    await enqueueNow(poison, { n: 2 })
    const waiting = await enqueueNow(later, { n: 3 })
    await enqueueNow(later, { n: 4 })
    await expect.poll(failed).toHaveLength(2)
    expect(await here(() => discardJobs({ ids: [dead ?? '', waiting ?? ''] }))).toBe(2)
    expect(await failed()).toMatchObject([{ args: { n: 2 } }])
    expect(await here(() => waitingJobs())).toMatchObject([{ args: { n: 4 } }])
    expect(await here(() => discardJobs({ name: 'poison' }))).toBe(1)
    expect(await failed()).toEqual([])
    expect(await here(() => waitingJobs())).toHaveLength(1)
  })
})
