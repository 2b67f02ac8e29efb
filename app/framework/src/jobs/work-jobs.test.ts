import { randomUUID } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { database, inTransaction, withDatabase } from 'pergola'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { enqueueIn, startJobs } from '../../test/fixtures/job-worker.ts'
import { pooler } from '../../test/fixtures/pooler.ts'
import { currentCause } from '../database/executor.ts'
import { attempt } from './attempt.ts'
import { enqueue } from './enqueue.ts'
import { job, type JobRun } from './job.ts'
import { openBoss } from './open-boss.ts'
import { missingQueues, prepareJobs } from './prepare-jobs.ts'
import { DEAD_LETTERS } from './queues.ts'
import { Unrecoverable } from './unrecoverable.ts'

const { db, url } = await testDatabase()
await prepareJobs(db, [])
await sql`create table done (n integer not null)`.execute(db)
const done = () => database() as unknown as Kysely<{ done: { n: number } }>
const write = (n: number) => done().insertInto('done').values({ n }).execute()
const written = async () =>
  (await sql<{ n: number }>`select n from done order by n`.execute(db)).rows.map(({ n }) => n)
const enqueueNow = enqueueIn(db)

const numbered = (name: string, run: (run: JobRun<{ n: number }>) => Promise<unknown>, options = {}) =>
  job(name, {
    args: z.object({ n: z.int() }),
    backoff: '1 second',
    ...options,
    run: async (attempt) => void (await run(attempt)),
  })

interface State {
  name: string
  state: string
  retry_count: number
  retry_limit: number
  error: string | null
}
const states = async () =>
  (
    await sql<State>`select name, state, retry_count, retry_limit,
      coalesce(source_output, output)->>'message' as error from pgboss.job order by name, created_on`.execute(
      db,
    )
  ).rows

beforeEach(async () => {
  await sql`delete from pgboss.job`.execute(db)
  await sql`delete from done`.execute(db)
})

describe('workJobs', () => {
  it('publishes each attempt in the channel pergola:job', async () => {
    const attempts: unknown[] = []
    const asyncEnd = (attempt: unknown) => void attempts.push(attempt)
    const channel = tracingChannel('pergola:job')
    channel.asyncEnd.subscribe(asyncEnd)
    onTestFinished(() => channel.asyncEnd.unsubscribe(asyncEnd))
    const error = new TypeError('It broke.')
    const failing = numbered('failing', () => Promise.reject(error), { retries: 0 })
    await startJobs(db, [failing])
    const id = await enqueueNow(failing, { n: 1 })
    await expect.poll(() => attempts).toMatchObject([{ job: 'failing', id, attempt: 1, error }])
  })

  it('runs a job with its arguments, its id and its number', async () => {
    const runs: object[] = []
    const note = numbered('note', async ({ args, id, attempt, say }) => {
      runs.push({ args, id, attempt, system: currentCause().system })
      await write(args.n)
      say(`wrote ${args.n}`)
    })
    const { lines } = await startJobs(db, [note])
    const id = await enqueueNow(note, { n: 7 })
    await expect.poll(states).toMatchObject([{ state: 'completed' }])
    expect(runs).toEqual([{ args: { n: 7 }, id, attempt: 1, system: 'note' }])
    expect(await written()).toEqual([7])
    expect(lines).toContainEqual({
      level: 'info',
      fields: { job: 'note', id, attempt: 1 },
      message: 'wrote 7',
    })
  })

  it('begins a job when its transaction has committed, without a poll', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const note = numbered('note', ({ args }) => write(args.n))
    await startJobs(db, [note])
    for (let n = 1; n <= 3; n++) {
      await withDatabase(db, () => inTransaction(() => enqueue(note, { n })))
      await expect.poll(written).toHaveLength(n)
    }
  })

  it('runs as many jobs at the same time as `concurrency`, and begins the next when one ends', async () => {
    const first = Promise.withResolvers<void>()
    const three = Promise.withResolvers<void>()
    let active = 0
    let most = 0
    const wait = numbered(
      'wait',
      async ({ args }) => {
        most = Math.max(most, ++active)
        if (active === 3) three.resolve()
        await (args.n === 0 ? first.promise : three.promise)
        await write(args.n)
        active--
      },
      { concurrency: 3 },
    )
    await startJobs(db, [wait])
    await withDatabase(db, () =>
      inTransaction(async () => {
        for (let n = 0; n <= 30; n++) await enqueue(wait, { n })
      }),
    )
    // The first job blocks one loop and none of the others.
    await expect.poll(written).toHaveLength(30)
    first.resolve()
    await expect.poll(written).toHaveLength(31)
    expect(most).toBe(3)
  })

  it('repeats a job that fails, with a delay that grows, and then makes it a dead letter with its error', async () => {
    const attempts: number[] = []
    const fail = numbered(
      'fail',
      async ({ attempt }) => {
        attempts.push(attempt)
        await Promise.reject(new Error('no \0 \ud800 luck'))
      },
      { retries: 2 },
    )
    const { lines } = await startJobs(db, [fail])
    await enqueueNow(fail, { n: 1 })
    await expect.poll(states).toMatchObject([
      { name: DEAD_LETTERS, state: 'created', error: 'no \\0 \ufffd luck' },
      { name: 'jobs/fail', state: 'failed', retry_count: 2 },
    ])
    expect(attempts).toEqual([1, 2, 3])
    expect(lines.filter(({ fields }) => fields.err).map(({ level }) => level)).toEqual([
      'warn',
      'warn',
      'error',
    ])
  })

  it('makes a job a dead letter without a retry if its arguments no longer fit', async () => {
    const before = numbered('moved', async () => {})
    const after = job('moved', { args: z.object({ m: z.int() }), run: () => write(1).then(() => {}) })
    await prepareJobs(db, [before])
    await enqueueNow(before, { n: 1 })
    const { lines } = await startJobs(db, [after])
    await expect.poll(states).toMatchObject([
      {
        name: DEAD_LETTERS,
        error: 'Invalid arguments for moved: m: Invalid input: expected number, received undefined.',
      },
      { name: 'jobs/moved', state: 'failed', retry_count: 0 },
    ])
    expect(await written()).toEqual([])
    expect(lines.map(({ level }) => level)).toContain('error')
  })

  it('makes a job a dead letter at once if it throws Unrecoverable', async () => {
    const rejected = numbered('rejected', ({ args }) => Promise.reject(new Unrecoverable(`no ${args.n}`)))
    await prepareJobs(db, [rejected])
    await enqueueNow(rejected, { n: 1 })
    const { lines } = await startJobs(db, [rejected])
    await expect.poll(states).toMatchObject([
      { name: DEAD_LETTERS, error: 'no 1' },
      { name: 'jobs/rejected', state: 'failed', retry_count: 0 },
    ])
    expect(lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)).toEqual([
      'the job failed for the last time',
    ])
  })

  it('logs that a job will run again if its retries could not be ended', async () => {
    const reject = () => Promise.reject(new Unrecoverable('no'))
    const rejected = numbered('rejected', reject, { backoff: '1 minute' })
    await prepareJobs(db, [rejected])
    await sql`create function keep_retries() returns trigger language plpgsql as
      'begin raise exception ''read-only''; end'`.execute(db)
    await sql`create trigger keep_retries before update of retry_limit on pgboss.job_common
      for each row execute function keep_retries()`.execute(db)
    onTestFinished(async () => void (await sql`drop function keep_retries() cascade`.execute(db)))
    await enqueueNow(rejected, { n: 1 })
    const { lines } = await startJobs(db, [rejected])
    await expect.poll(states).toMatchObject([{ name: 'jobs/rejected', state: 'retry', error: 'no' }])
    expect(lines.filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'warn', fields: { err: { message: 'no' } }, message: 'the job failed, and will run again' },
    ])
  })

  it('ends an attempt at its time limit, and rejects its later statements', async () => {
    const resume = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const slow = numbered(
      'slow',
      async ({ args, signal }) => {
        await once(signal, 'abort')
        await resume.promise
        await write(args.n).then(late.resolve, late.resolve)
      },
      { timeout: '1 second', retries: 0 },
    )
    await startJobs(db, [slow])
    await enqueueNow(slow, { n: 1 })
    await expect.poll(states).toMatchObject([{ name: DEAD_LETTERS }, { state: 'failed' }])
    resume.resolve()
    expect(await late.promise).toMatchObject({ message: 'This run has ended. Await every promise in `run`.' })
    expect(await states()).toMatchObject([{ error: 'slow was stopped at its time limit of 1 seconds.' }, {}])
    expect(await written()).toEqual([])
  })

  it('runs delayed jobs when they are due', async () => {
    const note = numbered('note', ({ args }) => write(args.n))
    await startJobs(db, [note])
    await enqueueNow(note, { n: 1 }, { delay: '1 second' })
    await expect.poll(written).toEqual([1])
  })

  it('returns a job to its queue if the worker stops before it has ended, without counting the attempt', async () => {
    const begun = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const endless = numbered(
      'endless',
      async ({ signal, args }) => {
        begun.resolve()
        await once(signal, 'abort')
        await sleep(0)
        await write(args.n).then(late.resolve, late.resolve)
      },
      // Another loop of this worker, which is already asking for a job, may take the returned job and return it again.
      { retries: 0, concurrency: 1 },
    )
    const { stop } = await startJobs(db, [endless])
    await enqueueNow(endless, { n: 1 })
    await begun.promise
    await stop(100)
    expect(await late.promise).toBeInstanceOf(Error)
    expect(await states()).toEqual([
      { name: 'jobs/endless', state: 'retry', retry_count: 0, retry_limit: 1, error: null },
    ])
    await startJobs(db, [numbered('endless', ({ args }) => write(args.n), { retries: 0 })])
    await expect.poll(written).toEqual([1])
  })

  it('doesn’t begin a job that it takes while it has no more time to stop', async () => {
    let hasBegun = false
    const late = numbered('late', () => {
      hasBegun = true
      return Promise.resolve()
    })
    const boss = { touch: () => Promise.resolve({ affected: 1 }) } as never
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const taken = {
      name: 'jobs/late',
      id: randomUUID(),
      data: { n: 1 },
      retryCount: 0,
      retryLimit: 0,
    } as never
    const stop = AbortSignal.abort(new Error('The worker is stopping.'))
    expect(await attempt({ boss, db, log, stop }, late, taken)).toBe(
      'The worker stopped before the job had ended.',
    )
    expect(hasBegun).toBe(false)
  })

  it('waits for the jobs that end in time when it stops, and takes no others', async () => {
    const begun = Promise.withResolvers<void>()
    const resume = Promise.withResolvers<void>()
    const note = numbered(
      'note',
      async ({ args }) => {
        begun.resolve()
        await resume.promise
        await write(args.n)
      },
      { concurrency: 1 },
    )
    const { stop } = await startJobs(db, [note])
    await enqueueNow(note, { n: 1 })
    await begun.promise
    const stopped = stop(10_000)
    await enqueueNow(note, { n: 2 })
    resume.resolve()
    await stopped
    expect(await written()).toEqual([1])
    expect(await states()).toMatchObject([{ state: 'completed' }, { state: 'created' }])
  })

  it('rejects the writes of a job that another worker has taken', async () => {
    const begun = Promise.withResolvers<void>()
    const resume = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const slow = numbered('slow', async ({ args, attempt }) => {
      if (attempt === 1) {
        begun.resolve()
        await resume.promise
      }
      const writing = inTransaction(() => write(args.n * 10 + attempt))
      if (attempt === 1) await writing.then(late.resolve, late.resolve)
      await writing
    })
    const { boss } = await startJobs(db, [slow])
    const id = await enqueueNow(slow, { n: 1 })
    await begun.promise
    // What the supervisor of pg-boss does when the heartbeat of a worker is missing.
    await boss.fail('jobs/slow', id ?? '', { message: 'job heartbeat timeout' })
    await expect.poll(written).toEqual([12])
    resume.resolve()
    expect(await late.promise).toMatchObject({
      message: expect.stringContaining('could not renew its lease'),
    })
    expect(await written()).toEqual([12])
    expect(await states()).toMatchObject([{ state: 'completed' }])
  })

  it('makes a takeover wait for the open transaction of the job', async () => {
    const begun = Promise.withResolvers<void>()
    const resume = Promise.withResolvers<void>()
    const slow = numbered('slow', ({ args, attempt }) =>
      inTransaction(async () => {
        await write(args.n * 10 + attempt)
        if (attempt > 1) return
        begun.resolve()
        await resume.promise
      }),
    )
    const { boss } = await startJobs(db, [slow])
    const id = await enqueueNow(slow, { n: 1 })
    await begun.promise
    const takeover = boss.fail('jobs/slow', id ?? '', { message: 'job heartbeat timeout' })
    await expect
      .poll(async () => (await sql`select from pg_locks where not granted`.execute(db)).rows.length)
      .toBe(1)
    // A heartbeat doesn't wait.
    await boss.touch('jobs/slow', id ?? '')
    resume.resolve()
    await takeover
    await expect.poll(written).toEqual([11])
  })

  it('polls behind a connection pooler, and logs it', async () => {
    const proxy = await pooler({ target: () => url })
    const pooled = connectForTests(proxy.url, {
      poolSize: 2,
      connectTimeout: 5_000,
      lockTimeout: 5_000,
    })
    const note = numbered('note', ({ args }) => write(args.n))
    const { lines, stop } = await startJobs(pooled, [note])
    expect(lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('a connection pooler'))
    await enqueueNow(note, { n: 1 })
    await expect.poll(written).toEqual([1])
    await stop()
    await pooled.destroy()
    proxy.close()
  })
})

describe('openBoss', () => {
  it('names the remedy if the tables are missing', async () => {
    const empty = await testDatabase()
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    await expect(openBoss(empty.db, log)).rejects.toThrow('Run npx cli db migrate')
    await prepareJobs(empty.db, [numbered('known', async () => {})])
    const jobs = [numbered('known', async () => {}), numbered('unknown', async () => {})]
    expect(await missingQueues(empty.db, jobs)).toEqual(['unknown'])
  })
})
