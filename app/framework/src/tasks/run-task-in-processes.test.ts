import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'

const { db, url } = await testDatabase()
const children: ChildProcess[] = []

interface Ticking {
  child: ChildProcess
  lines: string[]
  /** Resolves with the result when the process has ended. */
  ended: Promise<unknown>
}

function ticking(options: object = {}, leaseSeconds = 30): Ticking {
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../../test/fixtures/ticking.ts'),
      url,
      String(leaseSeconds),
      JSON.stringify(options),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  children.push(child)
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')))
  const ended = once(child, 'close').then(() => lastWords(lines.at(-1)))
  return { child, lines, ended }
}

/** Returns the result that the process printed, or null if it was killed before. */
const lastWords = (line = ''): unknown => (line.startsWith('{') ? JSON.parse(line) : null)

const begun = ({ lines }: Ticking) => expect.poll(() => lines.length).toBeGreaterThan(3)
const ticks = async () => (await sql<{ n: number; pid: number }>`select n, pid from ticks`.execute(db)).rows

async function expectEachOnce(count: number): Promise<void> {
  const written = (await ticks()).map(({ n }) => n)
  expect(written.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: count }, (_, at) => at + 1),
  )
}

beforeEach(async () => {
  await sql`drop table if exists ticks`.execute(db)
  await sql`create table ticks (n integer not null, pid integer not null)`.execute(db)
  await sql`delete from task_runs`.execute(db)
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('runTask in two processes', { timeout: 60_000 }, () => {
  it('runs in one process at a time, and throws TaskLocked in the other', async () => {
    const first = ticking()
    await begun(first)
    expect(await ticking().ended).toEqual({ outcome: 'TaskLocked' })
    first.child.kill('SIGTERM')
    expect(await first.ended).toMatchObject({ outcome: 'interrupted' })
    expect(await ticking({ args: { ticks: 1 } }).ended).toMatchObject({ outcome: 'done' })
  })

  it('resumes immediately after a kill, without repeating any work', async () => {
    const first = ticking({ args: { ticks: 60, pause: 5 } })
    await begun(first)
    first.child.kill('SIGKILL')
    await first.ended
    expect(await ticking({ resume: true }).ended).toEqual({ outcome: 'done', position: '60' })
    await expectEachOnce(60)
  })

  it('rejects the writes of a process that was frozen until its lease expired', async () => {
    const frozen = ticking({ args: { ticks: 100, pause: 10 } }, 2)
    await begun(frozen)
    frozen.child.kill('SIGSTOP')
    const before = (await ticks()).length
    // The process may be frozen in a transaction. A run that takes over waits for it and may reach the lock timeout.
    let second: unknown = { outcome: 'TaskLocked' }
    while ((second as { outcome: string }).outcome === 'TaskLocked')
      second = await ticking({ resume: true }).ended
    expect(second).toEqual({ outcome: 'done', position: '100' })
    frozen.child.kill('SIGCONT')
    expect(await frozen.ended).toMatchObject({ outcome: 'lost' })
    const frozens = (await ticks()).filter(({ pid }) => pid === frozen.child.pid)
    expect(frozens.length).toBeLessThanOrEqual(before + 1)
    await expectEachOnce(100)
    const { rows } = await sql`select outcome from task_runs order by id`.execute(db)
    expect(rows).toEqual([{ outcome: 'lost' }, { outcome: 'done' }])
  })
})
