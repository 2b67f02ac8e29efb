import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { database, inTransaction, withAllTenants, withDatabase, withTenant } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { enqueueIn } from '../../test/fixtures/job-worker.ts'
import { enqueue } from './enqueue.ts'
import { job } from './job.ts'
import { prepareJobs } from './prepare-jobs.ts'

const { db } = await testDatabase()
const greet = job('greet', { args: z.object({ user_id: z.int() }), run: async () => {} })
const other = job('other', { run: async () => {} })
await prepareJobs(db, [greet, other])
const enqueueNow = enqueueIn(db)

interface Stored {
  id: string
  name: string
  data: object
  state: string
  wait: number
}
const stored = async () =>
  (
    await sql<Stored>`select id, name, data, state, round(extract(epoch from start_after - created_on))::int as wait
      from pgboss.job order by data->>'user_id'`.execute(db)
  ).rows

beforeEach(async () => {
  await sql`delete from pgboss.job`.execute(db)
})

describe('enqueue', () => {
  it('stores the job with its arguments, and returns its id', async () => {
    const id = await enqueueNow(greet, { user_id: 7 })
    expect(await stored()).toEqual([
      { id, name: 'jobs/greet', data: { user_id: 7 }, state: 'created', wait: 0 },
    ])
  })

  it('stores no job if the transaction is rolled back', async () => {
    const transaction = withDatabase(db, () =>
      inTransaction(async () => {
        await enqueue(greet, { user_id: 7 })
        expect((await sql`select from pgboss.job`.execute(database())).rows).toHaveLength(1)
        throw new Error('rolled back')
      }),
    )
    await expect(transaction).rejects.toThrow('rolled back')
    expect(await stored()).toEqual([])
  })

  it('stores the jobs of a transaction when it commits', async () => {
    await withDatabase(db, () =>
      inTransaction(async () => {
        await enqueue(greet, { user_id: 1 })
        await enqueue(greet, { user_id: 2 })
        expect(await stored()).toEqual([])
      }),
    )
    expect(await stored()).toMatchObject([{ data: { user_id: 1 } }, { data: { user_id: 2 } }])
  })

  it('stores one job with the same key until it has begun', async () => {
    const id = await enqueueNow(greet, { user_id: 1 }, { key: 'a' })
    expect(await enqueueNow(greet, { user_id: 2 }, { key: 'a' })).toBeNull()
    expect(await enqueueNow(greet, { user_id: 3 }, { key: 'b' })).not.toBeNull()
    expect(await enqueueNow(other, {}, { key: 'a' })).not.toBeNull()
    await sql`update pgboss.job set state = 'active', started_on = now() where id = ${id}`.execute(db)
    expect(await enqueueNow(greet, { user_id: 4 }, { key: 'a' })).not.toBeNull()
  })

  it('stores a job of each tenant with the same key', async () => {
    const enqueued = (within: (work: () => Promise<string | null>) => Promise<string | null>) =>
      withDatabase(db, () => within(() => enqueue(greet, { user_id: 1 }, { key: 'a' })))
    const once = [
      (work: () => Promise<string | null>) => withTenant(1, work),
      (work: () => Promise<string | null>) => withTenant('1f', work),
      (work: () => Promise<string | null>) => withAllTenants(work),
    ]
    for (const within of once) expect(await enqueued(within)).not.toBeNull()
    for (const within of once) expect(await enqueued(within)).toBeNull()
  })

  it('stores one job if two transactions enqueue the same key at the same time', async () => {
    const both = await Promise.all(
      [1, 2].map((user_id) =>
        withDatabase(db, () => inTransaction(() => enqueue(greet, { user_id }, { key: 'both' }))),
      ),
    )
    expect(both.filter((id) => id !== null)).toHaveLength(1)
    expect(await stored()).toHaveLength(1)
  })

  it('delays the job by a duration or until a time', async () => {
    await enqueueNow(greet, { user_id: 1 }, { delay: '5 minutes' })
    await enqueueNow(greet, { user_id: 2 }, { at: new Date(Date.now() + 3_600_000) })
    const [first, second] = await stored()
    expect(first?.wait).toBe(300)
    expect(second?.wait).toBeGreaterThan(3_500)
  })

  it('keeps a delayed job however late it is', async () => {
    await enqueueNow(greet, { user_id: 1 }, { delay: '365 days' })
    const { rows } = await sql`select from pgboss.job where keep_until < now() + interval '9 years'`.execute(
      db,
    )
    expect(rows).toEqual([])
  })

  it('stores jobs with a priority', async () => {
    await enqueueNow(greet, { user_id: 1 }, { priority: 5 })
    expect((await sql`select priority from pgboss.job`.execute(db)).rows).toEqual([{ priority: 5 }])
  })

  it('throws for arguments that the worker could not read', async () => {
    const dated = job('dated', { args: z.object({ day: z.date() }), run: async () => {} })
    await expect(enqueueNow(greet, { user_id: 1.5 })).rejects.toThrow(
      'Invalid arguments for greet: user_id: Invalid input: expected int, received number.',
    )
    // A Date is a text in JSON.
    await expect(enqueueNow(dated, { day: new Date() })).rejects.toThrow('Invalid arguments for dated: day:')
    // @ts-expect-error The type of an argument is wrong.
    await expect(enqueueNow(greet, { user_id: '7' })).rejects.toThrow('Invalid arguments')
    // @ts-expect-error An argument is missing.
    await expect(enqueueNow(greet, {})).rejects.toThrow('Invalid arguments')
    expect(await stored()).toEqual([])
  })

  it('names the remedy if the job has no queue in this database', async () => {
    const unlisted = job('unlisted', { run: async () => {} })
    const remedy = 'The database has no queue for the job unlisted. List the job in app/jobs/jobs.ts, then'
    await expect(enqueueNow(unlisted, {})).rejects.toThrow(remedy)
    await expect(enqueueNow(unlisted, {}, { key: 'a' })).rejects.toThrow(remedy)
  })

  it('names the remedy in a database without queues, after another database had them', async () => {
    const empty = await testDatabase()
    await expect(enqueueIn(empty.db)(greet, { user_id: 1 })).rejects.toThrow('npx cli db migrate')
    await prepareJobs(empty.db, [other])
    await expect(enqueueIn(empty.db)(greet, { user_id: 1 }, { key: 'a' })).rejects.toThrow('no queue')
  })
})
