import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { inTransaction, withDatabase } from 'pergola'
import { ensureDatabase } from 'pergola/database'
import { countJobs, enqueue, failedJobs, prepareJobs } from 'pergola/jobs'
import { ownPostgres } from 'pergola/lab'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { connectJobs, count, jobs, stray, write } from './job-worker.ts'

const postgres = await ownPostgres()
const url = postgres.url('jobs')
await ensureDatabase(postgres.url('postgres'), 'jobs')
const db = connectJobs(url)
await prepareJobs(db, jobs)
await sql`create table counted (n integer primary key)`.execute(db)
await sql`create table effects (id integer generated always as identity, n integer, pid integer)`.execute(db)

const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await db.destroy()
})

interface WorkerProcess {
  child: ChildProcess
  pid: number
  lines: string[]
}

async function startWorker(): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'job-worker.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await expect.poll(() => lines).toContain('started')
  return { child, pid: child.pid ?? 0, lines }
}

async function end({ child }: WorkerProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = (await ended) as [number | null]
  return code
}

const first = async <Value>(query: ReturnType<typeof sql<{ value: Value }>>) =>
  (await query.execute(db)).rows[0]?.value
const effects = () => first<number>(sql`select count(*)::int as value from effects`)
const openJobs = () =>
  withDatabase(db, countJobs).then(
    (counts) => counts,
    // While Postgres restarts.
    () => null,
  )

beforeEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await sql`truncate counted, effects`.execute(db)
  await sql`delete from pgboss.job`.execute(db)
})

describe('jobs', { timeout: 600_000 }, () => {
  it('have their effect once, although a worker is killed three times and Postgres restarts', async () => {
    const stable = await startWorker()
    let killed = await startWorker()
    await withDatabase(db, () =>
      inTransaction(async () => {
        for (let n = 0; n < 10_000; n++) await enqueue(count, { n })
      }),
    )
    for (let round = 1; round <= 3; round++) {
      await expect.poll(effects, { timeout: 120_000 }).toBeGreaterThan(round * 1_500)
      await end(killed, 'SIGKILL')
      if (round === 2) {
        await postgres.kill()
        await postgres.start()
      }
      killed = await startWorker()
    }
    await expect.poll(openJobs, { timeout: 300_000, interval: 1_000 }).toEqual([])
    expect(await effects()).toBe(10_000)
    expect(await first<number>(sql`select count(distinct n)::int as value from effects`)).toBe(10_000)
    // Both workers did a part.
    expect(await first<number>(sql`select count(distinct pid)::int as value from effects`)).toBeGreaterThan(1)
    expect([await end(stable, 'SIGTERM'), await end(killed, 'SIGTERM')]).toEqual([0, 0])
  })

  it('write nothing in a frozen worker, after another one has taken them', async () => {
    const frozen = await startWorker()
    await withDatabase(db, () => enqueue(write, {}))
    await expect.poll(effects).toBeGreaterThan(10)
    frozen.child.kill('SIGSTOP')
    const other = await startWorker()
    const isTaken = () => first<number>(sql`select count(*)::int as value from effects where n = 2`)
    await expect.poll(isTaken, { timeout: 120_000 }).toBeGreaterThan(10)
    frozen.child.kill('SIGCONT')
    const failure = expect.stringContaining('it could not renew its lease in time')
    await expect.poll(() => frozen.lines).toContainEqual(failure)
    // The time in which it would write fifty times.
    await sleep(1_000)
    const late = sql<{ value: number }>`select count(*)::int as value from effects
      where n = 1 and id > (select min(id) from effects where n = 2)`
    expect(await first<number>(late)).toBe(0)
    expect(await first<number>(sql`select max(pid) as value from effects where n = 2`)).toBe(other.pid)
    await expect.poll(openJobs, { timeout: 120_000, interval: 1_000 }).toEqual([])
  })

  it('fail by a promise that they did not await, and the others of the worker continue', async () => {
    const worker = await startWorker()
    await withDatabase(db, () => enqueue(write, {}))
    await expect.poll(effects).toBeGreaterThan(10)
    await withDatabase(db, () => enqueue(stray, {}))
    const line = expect.objectContaining({
      level: 50,
      job: 'stray',
      err: expect.objectContaining({ message: 'No code awaits this.' }) as unknown,
    })
    await expect
      .poll(() => worker.lines.slice(1).map((text) => JSON.parse(text) as object))
      .toContainEqual(line)
    const before = (await effects()) ?? 0
    await expect.poll(effects).toBeGreaterThan(before + 10)
    expect(await withDatabase(db, () => failedJobs({ name: 'stray' }))).toHaveLength(1)
    expect(await end(worker, 'SIGTERM')).toBe(0)
  })

  it('return to the queue when a worker is stopped, and end in another one', async () => {
    const stopped = await startWorker()
    await withDatabase(db, () => enqueue(write, {}))
    await expect.poll(effects).toBeGreaterThan(10)
    expect(await end(stopped, 'SIGTERM')).toBe(0)
    expect(await openJobs()).toMatchObject([{ name: 'write', waiting: 1, running: 0 }])
    await startWorker()
    await expect.poll(openJobs, { timeout: 120_000, interval: 1_000 }).toEqual([])
    const stats = sql<{ value: number[] }>`select array_agg(distinct n) as value from effects`
    expect(await first<number[]>(stats)).toEqual([1, 2])
  })
})
