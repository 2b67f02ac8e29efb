import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runTask } from 'pergola/tasks'
import { withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { pruneSessions } from './prune-sessions.ts'

const { db } = await testDatabase()
const user = await withDatabase(db, () => makeUser())

// Vitest sets BASE_URL to a path, which is not a valid setting.
vi.stubEnv('BASE_URL', '')

beforeEach(async () => {
  await sql`delete from sessions`.execute(db)
  await sql`delete from rate_limits`.execute(db)
  await sql`delete from idempotency_keys`.execute(db)
  await sql`delete from account_tokens`.execute(db)
  await sql`insert into sessions (token_digest, user_id, created_at, last_seen_at) values
    ('open', ${user.id}, now() - interval '29 days', now() - interval '23 hours'),
    ('idle', ${user.id}, now() - interval '2 days', now() - interval '25 hours'),
    ('old', ${user.id}, now() - interval '31 days', now())`.execute(db)
  await sql`insert into rate_limits (key, points, expire) values
    ('over', 1, ${Date.now() - 3_601_000}), ('recent', 1, ${Date.now() - 3_540_000}),
    ('counted', 1, ${Date.now() + 60_000})`.execute(db)
  await sql`insert into idempotency_keys (key, content, created_at) values
    ('expired', '', now() - interval '25 hours'), ('kept', '', now() - interval '23 hours')`.execute(db)
  await sql`insert into account_tokens (digest, purpose, address, expires_at) values
    ('expired link', 'sign-up', 'a@example.org', now() - interval '1 minute'),
    ('valid link', 'sign-up', 'a@example.org', now() + interval '1 minute')`.execute(db)
})

const lines: string[] = []
const prune = async (dryRun = false) => {
  lines.length = 0
  return runTask(db, pruneSessions, {
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
  const { rows } = await sql<{ name: string }>`
    select token_digest as name from sessions union select key from rate_limits
    union select encode(key, 'escape') from idempotency_keys
    union select digest from account_tokens order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

describe('prune-sessions', () => {
  it('deletes ended sessions, expired counters and expired keys, and nothing else', async () => {
    expect(await prune()).toMatchObject({ outcome: 'done' })
    expect(lines).toEqual(['Deleted 2 sessions, 1 link, 1 counter and 1 idempotency key.'])
    expect(await left()).toEqual(['counted', 'kept', 'open', 'recent', 'valid link'])
  })

  it('only counts them in a dry run', async () => {
    expect(await prune(true)).toMatchObject({ outcome: 'done' })
    expect(lines).toEqual(['Would delete 2 sessions, 1 link, 1 counter and 1 idempotency key.'])
    expect(await left()).toHaveLength(10)
  })

  it('deletes many rows in several statements', async () => {
    await sql`insert into rate_limits select 'many ' || n, 1, 0 from generate_series(1, 12000) as n`.execute(
      db,
    )
    await prune()
    expect(lines).toEqual(['Deleted 2 sessions, 1 link, 12001 counters and 1 idempotency key.'])
  })
})
