import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runTask } from 'pergola/tasks'
import { testDatabase } from 'pergola/testing'
import { pruneEvents } from './prune-events.ts'

const { db, statements } = await testDatabase()
// Vitest sets BASE_URL to a path, which is not a valid setting.
vi.stubEnv('BASE_URL', '')

beforeEach(async () => {
  await sql`delete from security_events`.execute(db)
  await sql`delete from record_changes`.execute(db)
  await sql`insert into record_changes (resource, record_id, action, changes, created_at) values
    ('Note', '1', 'create', '{}', now() - interval '364 days'),
    ('Note', '2', 'create', '{}', now() - interval '366 days')`.execute(db)
  await sql`insert into security_events (kind, created_at) values
    ('sign-in', now() - interval '364 days'), ('sign-out', now() - interval '366 days')`.execute(db)
})

const lines: string[] = []
const prune = (dryRun = false) => {
  lines.length = 0
  return runTask(db, pruneEvents, {
    args: {},
    dryRun,
    resume: false,
    starter: { started_by: 'a test', host: 'here', pid: process.pid },
    leaseSeconds: 30,
    signal: new AbortController().signal,
    output: { say: (line) => lines.push(line), warn: () => {}, progress: () => {} },
  })
}
const left = async () => {
  const rows = await db.selectFrom('security_events').select('kind').orderBy('id').execute()
  const changes = await db.selectFrom('record_changes').select('record_id').orderBy('id').execute()
  return [...rows.map(({ kind }) => kind), ...changes.map(({ record_id }) => record_id)]
}

describe('prune-events', () => {
  it('deletes events and changes that are older than a year', async () => {
    expect(await prune()).toMatchObject({ outcome: 'done', error: null })
    expect(lines).toEqual(['Deleted 1 event and 1 recorded change older than 365 days.'])
    expect(await left()).toEqual(['sign-in', '1'])
  })

  it('only counts them in a dry run', async () => {
    expect(await prune(true)).toMatchObject({ outcome: 'done' })
    expect(lines).toEqual(['Would delete 1 event and 1 recorded change older than 365 days.'])
    expect(await left()).toEqual(['sign-in', 'sign-out', '1', '2'])
  })

  it('deletes many of them in several statements', async () => {
    await sql`insert into security_events (kind, created_at)
      select 'sign-in', now() - interval '2 years' from generate_series(1, 12000)`.execute(db)
    await sql`insert into record_changes (resource, record_id, action, changes, created_at)
      select 'Note', n, 'create', '{}', now() - interval '2 years' from generate_series(1, 5001) n`.execute(
      db,
    )
    statements.length = 0
    await prune()
    expect(lines).toEqual(['Deleted 12001 events and 5002 recorded changes older than 365 days.'])
    expect(statements.filter((text) => text.startsWith('delete from "security_events"'))).toHaveLength(3)
  })
})
