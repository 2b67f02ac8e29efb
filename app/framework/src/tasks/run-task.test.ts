import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { database, inTransaction, withDatabase } from 'pergola'
import type { RunOptions } from 'pergola/tasks'
import { lockWait, testDatabase } from 'pergola/testing'
import { failUnit } from '../database/executor.ts'
import { EndUnrecorded, LeaseLost, NothingToResume, TaskLocked } from '../leases/task-errors.ts'
import { recentRuns } from './run-history.ts'
import { runTask } from './run-task.ts'
import { type AnyTask, task, type TaskRun } from './task.ts'

const { db } = await testDatabase()

const said: string[] = []
const options: RunOptions = {
  args: {},
  dryRun: false,
  resume: false,
  starter: { started_by: 'a test', host: 'here', pid: process.pid },
  leaseSeconds: 30,
  signal: new AbortController().signal,
  output: { say: (line) => void said.push(line), warn: () => {}, progress: () => {} },
}
async function run(task: AnyTask, more: Partial<RunOptions> = {}) {
  const ended = await runTask(db, task, { ...options, ...more })
  // A failed `expect` inside a task must fail the test.
  if ((ended.error as Error | null)?.name === 'AssertionError') throw ended.error
  return ended
}
/** Blocks the process for a second, so that no timer fires. */
const freeze = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)

/** Returns when the lease expires, in seconds. */
async function expiry(): Promise<number> {
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from expires_at)::float8 as at from task_leases`.execute(db)
  return rows[0]?.at ?? 0
}

const history = () => withDatabase(db, () => recentRuns(30))
const work = (run: (run: TaskRun<{ n: number }>) => Promise<void>) =>
  task('work', { description: '', dryRun: true, args: z.object({ n: z.int().default(1) }), run })

beforeEach(async () => {
  said.length = 0
  await sql`delete from task_runs`.execute(db)
})

describe('runTask', () => {
  it('records the task, its starter and its outcome', async () => {
    const ended = await run(
      work(async ({ args, progress, say }) => {
        progress({ rows: 7, share: 1 })
        await Promise.resolve(say(`n is ${args.n}`))
      }),
      { args: { n: 3 } },
    )
    expect(ended).toMatchObject({ outcome: 'done', position: null, error: null })
    expect(said).toEqual(['n is 3'])
    expect(await history()).toMatchObject([
      {
        id: ended.id,
        task: 'work',
        args: { n: 3 },
        outcome: 'done',
        rows: 7,
        share: 1,
        started_by: 'a test',
      },
    ])
  })

  it('records the error of a failed run, and releases the lease', async () => {
    const broken = work(() => Promise.reject(new Error('It rained.')))
    expect(await run(broken)).toMatchObject({ outcome: 'failed', error: new Error('It rained.') })
    expect(await run(broken)).toMatchObject({ outcome: 'failed' })
    expect(await history()).toMatchObject([{ error: 'It rained.' }, { outcome: 'failed' }])
  })

  it('continues at the last checkpoint when the connection breaks', async () => {
    await sql`create table if not exists steps (step int)`.execute(db)
    const insertStep = (step: number) =>
      database()
        .insertInto('steps' as never)
        .values({ step })
        .execute()
    let kills = 0
    const killOnce = async () => {
      if (kills++ < 2) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(database())
    }
    const steps = work(async ({ position, checkpoint }) => {
      for (let step = Number(position ?? 0) + 1; step <= 3; step++) {
        await inTransaction(async () => {
          await insertStep(step)
          await checkpoint(String(step))
          if (step === 2) await killOnce()
        })
      }
    })
    expect(await run(steps)).toMatchObject({ outcome: 'done', position: '3' })
    expect(kills).toBe(3)
    const { rows } = await sql<{ step: number }>`select step from steps order by step`.execute(db)
    expect(rows.map(({ step }) => step)).toEqual([1, 2, 3])
  })

  it('begins again without a checkpoint only if it has not written', async () => {
    const kill = () => sql`select pg_terminate_backend(pg_backend_pid())`.execute(database())
    let attempts = 0
    const reading = work(async () => {
      await database().selectFrom('task_runs').select('id').execute()
      if (++attempts === 1) {
        await database()
          .selectNoFrom(sql`pg_terminate_backend(pg_backend_pid())`.as('killed'))
          .execute()
      }
    })
    expect(await run(reading)).toMatchObject({ outcome: 'done' })
    expect(attempts).toBe(2)
    const writing = work(async () => {
      attempts++
      await database()
        .updateTable('task_leases')
        .set({ machine: 'here' })
        .where('task', '=', 'other')
        .execute()
      await kill()
    })
    expect(await run(writing)).toMatchObject({ outcome: 'failed', error: { code: '57P01' } })
    expect(attempts).toBe(3)
  })

  it('begins again if the connection breaks while it begins', async () => {
    await sql`create sequence beginnings`.execute(db)
    await sql`create function break_first() returns trigger language plpgsql as $$ begin
      if nextval('beginnings') < 3 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return new;
    end $$`.execute(db)
    await sql`create trigger break_first before insert on task_leases
      for each row execute function break_first()`.execute(db)
    onTestFinished(async () => void (await sql`drop function break_first() cascade`.execute(db)))
    expect(await run(work(() => Promise.resolve()))).toMatchObject({ outcome: 'done' })
    expect(await history()).toMatchObject([{ outcome: 'done' }])
  })

  it('fails by a promise that it did not await, and does not run again beside it', async () => {
    let runs = 0
    const forgetful = work(async ({ signal }) => {
      runs++
      // A listener of `unhandledRejection` calls it in the context of the promise.
      setImmediate(() => failUnit(Object.assign(new Error('reset'), { code: 'ECONNRESET' })))
      await sleep(600_000, undefined, { signal })
    })
    expect(await run(forgetful)).toMatchObject({ outcome: 'failed', error: { code: 'ECONNRESET' } })
    expect(runs).toBe(1)
  })

  it('fails after five attempts at the same checkpoint', async () => {
    let attempts = 0
    const hopeless = work(async ({ checkpoint }) => {
      if (attempts++ === 0) await checkpoint('1')
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(database())
    })
    expect(await run(hopeless)).toMatchObject({ outcome: 'failed', position: '1' })
    expect(attempts).toBe(6)
  })

  it('throws TaskLocked with the holder if the task is already running', async () => {
    const outer = await run(
      work(async () => {
        const second = await run(work(() => Promise.resolve())).catch((error: unknown) => error)
        expect(second).toBeInstanceOf(TaskLocked)
        expect((second as Error).message).toContain(`by a test on here, process ${process.pid}, since 20`)
      }),
    )
    expect(outer).toMatchObject({ outcome: 'done', error: null })
    // The second call left no record.
    expect(await history()).toHaveLength(1)
  })

  it('takes over immediately from a dead process of this machine, and marks its run as lost', async () => {
    const dead = 2 ** 22 + 1
    await run(
      work(async () => {
        await sql`update task_runs set pid = ${dead}`.execute(db)
        expect(await run(work(() => Promise.resolve()))).toMatchObject({ outcome: 'done' })
      }),
    )
    expect(await history()).toMatchObject([{ outcome: 'done' }, { outcome: 'lost' }])
  })

  it('takes over from another machine only after the lease has expired', async () => {
    await run(
      work(async () => {
        await sql`update task_runs set pid = ${2 ** 22 + 1}`.execute(db)
        await sql`update task_leases set machine = 'another'`.execute(db)
        await expect(run(work(() => Promise.resolve()))).rejects.toThrow(TaskLocked)
        await sql`update task_leases set expires_at = now() - interval '1 second'`.execute(db)
        expect(await run(work(() => Promise.resolve()))).toMatchObject({ outcome: 'done' })
      }),
    )
  })

  it('rejects the writes of a run that has lost its lease', async () => {
    const ended = await run(
      work(async ({ checkpoint }) => {
        await sql`delete from task_leases`.execute(db)
        await inTransaction(async () => {
          await database()
            .insertInto('attempts')
            .values({ key: 'late', attempts: 1, expires_at: 'now' })
            .execute()
          await checkpoint('1')
        })
      }),
    )
    expect(ended).toMatchObject({ outcome: 'lost', position: null })
    expect(ended.error).toBeInstanceOf(LeaseLost)
    expect(await db.selectFrom('attempts').selectAll().where('key', '=', 'late').execute()).toEqual([])
  })

  it('takes over only after an open transaction of the holder has ended', async () => {
    const order: string[] = []
    await run(
      work(async () => {
        let second: Promise<unknown> = Promise.resolve()
        await inTransaction(async () => {
          await sql`update task_leases set expires_at = now() - interval '1 second'`.execute(db)
          second = run(work(() => Promise.resolve(void order.push('second')))).catch(() => {})
          await lockWait(db)
          order.push('first')
        })
        await second
      }),
    )
    expect(order).toEqual(['first', 'second'])
  })

  it('stops when the signal aborts, and resumes there with the same arguments', async () => {
    const stop = new AbortController()
    const positions: unknown[] = []
    const walk = work(async ({ args, position, signal, checkpoint }) => {
      positions.push([args.n, position])
      for (let n = Number(position ?? 0) + 1; n <= 4; n++) {
        signal.throwIfAborted()
        await checkpoint(String(n))
        if (n === 2) stop.abort(new Error('Enough.'))
      }
    })
    const stopped = await run(walk, { args: { n: 5 }, signal: stop.signal })
    expect(stopped).toMatchObject({ outcome: 'interrupted', position: '2' })
    const ended = await run(walk, { args: { n: 9 }, resume: true })
    expect(ended).toMatchObject({ outcome: 'done', position: '4' })
    expect(positions).toEqual([
      [5, null],
      [5, '2'],
    ])
    expect(await history()).toMatchObject([
      { continues_id: stopped.id, args: { n: 5 } },
      { outcome: 'interrupted' },
    ])
    await expect(run(walk, { resume: true })).rejects.toThrow(NothingToResume)
  })

  it('marks a run as failed if it throws its own error, during an abort or without one', async () => {
    const stop = new AbortController()
    const breaks = work(() => {
      stop.abort()
      return Promise.reject(new Error('It rained.'))
    })
    expect(await run(breaks, { signal: stop.signal })).toMatchObject({ outcome: 'failed' })
    const givesUp = work(() => Promise.reject(new DOMException('Nobody answered.', 'AbortError')))
    expect(await run(givesUp)).toMatchObject({ outcome: 'failed' })
  })

  it('records an error message with a zero byte', async () => {
    const binary = work(() => Promise.reject(new Error('No such line: a\0b')))
    expect(await run(binary)).toMatchObject({ outcome: 'failed' })
    expect(await history()).toMatchObject([{ outcome: 'failed', error: 'No such line: a\\0b' }])
  })

  it('rolls back a checkpoint with its transaction', async () => {
    const ended = await run(
      work(async ({ checkpoint }) => {
        await checkpoint('1')
        await inTransaction(async () => {
          await checkpoint('2')
          throw new Error('No.')
        })
      }),
    )
    expect(ended).toMatchObject({ outcome: 'failed', position: '1' })
  })

  it('ignores a run that failed before its first checkpoint when it resumes', async () => {
    const stop = new AbortController()
    const stopped = work(async ({ checkpoint, signal }) => {
      await checkpoint('7')
      stop.abort()
      signal.throwIfAborted()
    })
    await run(stopped, { signal: stop.signal })
    await run(work(() => Promise.reject(new Error('No such file.'))))
    await run(
      work(({ position }) => Promise.resolve(expect(position).toBe('7'))),
      { resume: true },
    )
    expect((await history())[0]).toMatchObject({ outcome: 'done' })
  })

  it('rejects the first write of a process that was frozen until its lease expired', async () => {
    const write = () => database().updateTable('task_runs').set({ error: 'written' }).execute()
    const alone = work(async () => {
      freeze()
      await write()
    })
    const within = work(() =>
      inTransaction(async () => {
        await write()
        freeze()
        await write()
      }),
    )
    for (const frozen of [alone, within])
      expect(await run(frozen, { leaseSeconds: 1 })).toMatchObject({ outcome: 'lost' })
    expect((await history()).map(({ error }) => error)).not.toContain('written')
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(db)
    expect(rows).toEqual([])
  })

  it('renews the lease during a long transaction that begins with a checkpoint', async () => {
    const ended = await run(
      work(({ checkpoint }) =>
        inTransaction(async () => {
          await checkpoint('1')
          const first = await expiry()
          await expect.poll(expiry).toBeGreaterThan(first + 3)
          expect(await withDatabase(db, () => recentRuns(2))).toMatchObject([{ outcome: 'running' }])
          await checkpoint('2')
        }),
      ),
      { leaseSeconds: 3 },
    )
    expect(ended).toMatchObject({ outcome: 'done', position: '2' })
  })

  it('marks a run as lost if it was frozen until its lease expired and then fails', async () => {
    const cut = work(() =>
      inTransaction(async () => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database())
        const asleep = sql`select pg_sleep(5)`.execute(database()).catch((error: unknown) => {
          freeze()
          throw error
        })
        await Promise.all([asleep, sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)])
      }),
    )
    const ended = await run(cut, { leaseSeconds: 1 })
    expect(ended).toMatchObject({ outcome: 'lost', error: { cause: expect.any(Error) as unknown } })
    expect(ended.error).toBeInstanceOf(LeaseLost)
  })

  it('marks a run as lost although the task caught LeaseLost', async () => {
    const deaf = work(async ({ checkpoint }) => {
      await sql`delete from task_leases`.execute(db)
      await inTransaction(() => checkpoint('1')).catch(() => {})
    })
    expect(await run(deaf)).toMatchObject({ outcome: 'lost', error: expect.any(LeaseLost) as unknown })
    expect(await history()).toMatchObject([{ outcome: 'lost', position: null }])
  })

  it('rejects a statement that a run sends after its end', async () => {
    let late: Promise<unknown> = Promise.resolve()
    let open = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const forgetful = work(() => {
      late = gate.then(() => database().deleteFrom('attempts').execute())
      return Promise.resolve()
    })
    expect(await run(forgetful)).toMatchObject({ outcome: 'done' })
    open()
    await expect(late).rejects.toThrow('This run has ended')
  })

  it('does not resume with arguments that became invalid, and releases the lease', async () => {
    await run(
      work(async ({ checkpoint }) => {
        await checkpoint('7')
        throw new Error('It rained.')
      }),
      { args: { n: 7 } },
    )
    const args = z.object({ n: z.int().max(5) })
    const stricter = task('work', { description: '', args, run: () => Promise.resolve() })
    await expect(run(stricter, { resume: true })).rejects.toThrow('--n: Too big')
    expect(await history()).toHaveLength(1)
    expect(await run(stricter, { args: { n: 5 } })).toMatchObject({ outcome: 'done' })
  })

  it('resumes the last run that was not a dry run', async () => {
    const stopped = work(async ({ checkpoint }) => {
      await checkpoint('7')
      throw new Error('It rained.')
    })
    const { id } = await run(stopped)
    await run(
      work(() => Promise.resolve()),
      { dryRun: true },
    )
    await run(
      work(async ({ position }) => void (await Promise.resolve(said.push(String(position))))),
      { resume: true },
    )
    expect(said).toEqual(['7'])
    expect((await history())[0]).toMatchObject({ continues_id: id })
  })

  it('lets a dry run take longer than a lease', async () => {
    const slow = work(() => sleep(1_000))
    expect(await run(slow, { dryRun: true, leaseSeconds: 1 })).toMatchObject({ outcome: 'done' })
  })

  it('ignores the checkpoints of a dry run', async () => {
    const ended = await run(
      work(({ checkpoint }) => checkpoint('7')),
      { dryRun: true },
    )
    expect(ended).toMatchObject({ outcome: 'done', position: null })
  })

  it('rejects a write in a with clause of a dry run', async () => {
    const sly = work(async () => {
      const gone = database().with('gone', (db) => db.deleteFrom('task_runs').returning('id'))
      await gone.selectFrom('gone').select('id').execute()
    })
    expect(await run(sly, { dryRun: true })).toMatchObject({
      outcome: 'failed',
      error: expect.objectContaining({
        message: expect.stringContaining('tried to write in a dry run') as unknown,
      }) as unknown,
    })
  })

  it('throws EndUnrecorded if the outcome can’t be stored', async () => {
    const broken = work(async ({ checkpoint }) => {
      await checkpoint('7')
      await sql`alter table task_leases rename to elsewhere`.execute(db)
      throw new Error('It rained.')
    })
    const error: unknown = await run(broken).catch((error: unknown) => error)
    await sql`alter table elsewhere rename to task_leases`.execute(db)
    expect(error).toBeInstanceOf(EndUnrecorded)
    expect((error as Error).message).toMatch(/^work finished \(failed\), but .* with --resume/)
    expect(await history()).toMatchObject([{ outcome: 'running', position: '7' }])
  })

  it('rejects writes in a dry run, which needs no lease', async () => {
    const writes = work(async () => {
      await database().deleteFrom('attempts').execute()
    })
    await run(
      work(async () => {
        const ended = await run(writes, { dryRun: true })
        expect(ended).toMatchObject({ outcome: 'failed' })
        expect((ended.error as Error).message).toContain('tried to write in a dry run')
      }),
    )
    await expect(run(writes, { resume: true })).rejects.toThrow(NothingToResume)
  })

  it('stores the last five hundred runs of a task', async () => {
    await sql`insert into task_runs (task, args, dry_run, started_by, host, pid, outcome, ended_at)
      select 'work', '{}', false, '', '', 1, 'done', now() from generate_series(1, 510)`.execute(db)
    await run(work(() => Promise.resolve()))
    expect(await withDatabase(db, () => recentRuns(30, { limit: 1_000 }))).toHaveLength(500)
  })
})
