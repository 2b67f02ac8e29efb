import { sql } from 'kysely'
import { withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { job } from '../../jobs/job.ts'
import { prepareJobs } from '../../jobs/prepare-jobs.ts'
import { enqueueAll } from './enqueue-all.ts'

const { db } = await testDatabase()
const greet = job('greet', { args: z.object({ user_id: z.int() }), run: async () => {} })
await prepareJobs(db, [greet])

beforeEach(async () => {
  await sql`delete from pgboss.job`.execute(db)
})

describe('enqueueAll', () => {
  const all = (count: number) => Array.from({ length: count }, (_, index) => ({ user_id: index }))

  it('stores thousands of jobs with the options of their queue', async () => {
    await withDatabase(db, () => enqueueAll(greet, all(12_001), { priority: 2, delay: '5 minutes' }))
    const { rows } = await sql`select count(*)::int as jobs, count(distinct data->>'user_id')::int as users,
      min(priority) as priority, min(retry_limit) as retries, round(extract(epoch from min(start_after - created_on)))::int as wait
      from pgboss.job`.execute(db)
    expect(rows).toEqual([{ jobs: 12_001, users: 12_001, priority: 2, retries: 10, wait: 300 }])
  })

  it('stores all or none, and does nothing without arguments', async () => {
    await expect(withDatabase(db, () => enqueueAll(greet, [{ user_id: 1.5 }]))).rejects.toThrow(
      'Invalid arguments for greet',
    )
    await sql`alter table pgboss.job add constraint few check ((data->>'user_id')::int < 5500)`.execute(db)
    await expect(withDatabase(db, () => enqueueAll(greet, all(6_000)))).rejects.toThrow('few')
    await sql`alter table pgboss.job drop constraint few`.execute(db)
    await withDatabase(db, () => enqueueAll(greet, []))
    const missing = job('missing', { run: async () => {} })
    await expect(withDatabase(db, () => enqueueAll(missing, [{}]))).rejects.toThrow(
      'has no queue for the job missing',
    )
    expect((await sql`select from pgboss.job`.execute(db)).rows).toEqual([])
  })
})
