import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { enqueue, job, prepareJobs, waitingJobs } from 'pergola/jobs'
import { task } from 'pergola/tasks'
import { testDatabase } from 'pergola/testing'
import { startWorker } from './start-worker.ts'

const { db, url } = await testDatabase()
const idle = await testDatabase()
await sql`create table ticks (n integer not null, pid integer not null)`.execute(db)
const children: ChildProcess[] = []
afterAll(() => children.forEach((child) => child.kill('SIGKILL')))

function worker(): ChildProcess {
  const child = spawn(process.execPath, ['cli/commands/worker/worker-in-child.ts', url], { stdio: 'ignore' })
  children.push(child)
  return child
}

interface Run {
  id: number
  pid: number
  outcome: string | null
  position: string | null
  continues_id: number | null
}
const runs = async () =>
  (await sql<Run>`select id, pid, outcome, position, continues_id from task_runs order by id`.execute(db))
    .rows
const jobs = async () =>
  (await sql`select from pgboss.job where name = 'tick' and state <> 'completed'`.execute(db)).rows.length
const ticks = async () => (await sql<{ n: number }>`select n from ticks order by n`.execute(db)).rows

describe('startWorker', () => {
  it('runs a due task once, and resumes it on the other worker if the first is killed', async () => {
    const both = [worker(), worker()]
    await expect.poll(async () => (await ticks()).length, { timeout: 150_000 }).toBeGreaterThan(5)
    const [first] = await runs()
    const running = both.find(({ pid }) => pid === first?.pid)
    const other = both.find((child) => child !== running)
    expect(await runs()).toHaveLength(1)
    running?.kill('SIGKILL')
    await expect.poll(async () => (await runs()).length, { timeout: 150_000 }).toBe(2)
    // SIGTERM stops it after its batch. The next worker resumes the run.
    await expect.poll(async () => (await ticks()).length).toBeGreaterThan(20)
    const exited = once(other as ChildProcess, 'exit')
    other?.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(await runs()).toMatchObject([{ outcome: 'lost' }, { outcome: 'interrupted', pid: other?.pid }])
    worker()
    await expect.poll(async () => (await runs())[2]?.outcome, { timeout: 150_000 }).toBe('done')
    expect((await ticks()).map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1))
    const [, second, third] = await runs()
    expect([second?.continues_id, third?.continues_id]).toEqual([first?.id, second?.id])
    expect(await jobs()).toBeLessThanOrEqual(1)
  })

  it('closes its connections if it can’t start, so that a caller may try again', async () => {
    const never = { ...task('never', { description: '', run: async () => {} }), schedule: 'not a schedule' }
    const log = pino({ level: 'silent' })
    const parts = { db: idle.db, tasks: [never], jobs: [], leaseSeconds: 30, log }
    await expect(startWorker(parts)).rejects.toThrow('Invalid characters')
    const open = async () =>
      (
        await sql`select from pg_stat_activity where datname = current_database() and application_name = 'pgboss'`.execute(
          idle.db,
        )
      ).rows.length
    await expect.poll(open).toBe(0)
  })

  it('finishes the jobs that are running, within a short time too', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const events: string[] = []
    const brief = job('brief', {
      async run({ signal }) {
        events.push('begun')
        await opened
        events.push(signal.aborted ? 'stopped' : 'done')
      },
    })
    await prepareJobs(db, [brief])
    const log = pino({ level: 'silent' })
    const worker = await startWorker({ db, tasks: [], jobs: [brief], leaseSeconds: 30, log })
    await withDatabase(db, () => enqueue(brief, {}))
    await expect.poll(() => events).toEqual(['begun'])
    const stopped = worker.stop(5_000)
    setTimeout(open, 100)
    await stopped
    expect(events).toEqual(['begun', 'done'])
    expect(await withDatabase(db, () => waitingJobs())).toEqual([])
  })

  it('returns the tasks that ignore the abort signal', async () => {
    let end = () => {}
    const begun = { deaf: false }
    const deaf = task('deaf', {
      description: '',
      schedule: '0 0 1 1 *',
      run: () => new Promise((resolve) => ((end = resolve), (begun.deaf = true))),
    })
    const log = pino({ level: 'silent' })
    const worker = await startWorker({ db, tasks: [deaf], jobs: [], leaseSeconds: 30, log })
    const boss = new PgBoss({ connectionString: url, schema: 'pgboss' })
    await boss.start()
    await boss.send('deaf')
    await expect.poll(() => begun.deaf, { timeout: 30_000 }).toBe(true)
    expect(await worker.stop(1_000)).toEqual(['deaf'])
    end()
    await boss.stop()
  })
})
