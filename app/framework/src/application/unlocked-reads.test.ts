import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { inScope, lookup, policy, repository, scope } from 'pergola'
import { unlockedReads } from 'pergola/app'
import { Note } from '../../test/fixtures/note.ts'
import { User } from '../../test/fixtures/user.ts'

const reads = async () =>
  (await sql<{ ok: boolean }>`select exists(select 1 from members) as ok`.execute({} as never)).rows[0]!.ok

const notePolicy = policy(Note, {
  canShow: async (ctx) => (await sql`select 1`.execute(ctx.db as never)).rows.length > 0,
  canCreate: (ctx) => ctx.hasRole('admin'),
  canUpdate: async (ctx) => (await sql`select 1 from members`.execute(ctx.db as never)).rows.length > 0,
  canDelete: () => reads(),
})
const rawScope = scope(User, { where: () => sql<boolean>`exists (select 1 from members)` })

describe('unlockedReads', () => {
  it('names a rule of a write that reads with raw SQL, but neither canShow nor functions that rules call', () => {
    expect(unlockedReads([{ repository: repository(Note, { policy: notePolicy }) }])).toEqual([
      expect.stringMatching(
        /unlocked-reads\.test\.ts:\d+: canUpdate of Note reads with raw SQL, whose rows a write can't lock/,
      ),
    ])
  })

  it('names a scope that rules ask', () => {
    const scoped = (rules: Parameters<typeof policy<typeof User, 'canUpdate'>>[1]) =>
      unlockedReads([{ repository: repository(User, { policy: policy(User, rules), scope: rawScope }) }])
    expect(scoped({ canUpdate: inScope() })).toEqual([expect.stringContaining('where of User')])
    expect(scoped({ canUpdate: () => true })).toEqual([])
  })

  it('names a lookup that reads with raw SQL, and none that only compares with it', () => {
    const plain = lookup(async (db, ids: readonly number[]) => {
      const rows = await db
        .selectFrom('notes')
        .select('id')
        .where('created_at', '<', sql<string>`now()`)
        .execute()
      return new Map(rows.map(({ id }) => [id, ids.includes(id)]))
    })
    expect([plain, unlockedReads([])]).toEqual([plain, []])
    lookup(async (db, ids: readonly number[]) => {
      const rows = await db
        .selectFrom('notes')
        .select(sql<number>`count(*)`.as('count'))
        .execute()
      return new Map(ids.map((id) => [id, rows.length]))
    })
    expect(unlockedReads([])).toEqual([expect.stringMatching(/unlocked-reads\.test\.ts:\d+: a lookup reads/)])
  })
})
