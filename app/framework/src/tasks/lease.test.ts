import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { holdLease, renewLease, takeLease } from './lease.ts'

const { db } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

async function newRun(): Promise<number> {
  const { rows } = await sql<{
    id: number
  }>`insert into task_runs (task, args, dry_run, started_by, host, pid)
    values ('work', '{}', false, '', '', 1) returning id`.execute(db)
  return rows[0]?.id ?? 0
}

beforeEach(async () => {
  await sql`delete from task_runs`.execute(db)
})

describe.each([
  ['renewLease', (run: number) => renewLease(run, 30)],
  ['holdLease', (run: number) => holdLease(run)],
])('%s', (_name, isOurs) => {
  it('returns true to the run that holds the lease, until the lease expires', async () => {
    const [holder, other] = [await newRun(), await newRun()]
    expect(await within(() => takeLease('work', holder, 30))).toBe(true)
    expect(await within(() => isOurs(holder))).toBe(true)
    expect(await within(() => isOurs(other))).toBe(false)
    await sql`update task_leases set expires_at = now()`.execute(db)
    expect(await within(() => isOurs(holder))).toBe(false)
  })
})
