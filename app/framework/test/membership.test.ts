import { type Generated, type Kysely, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  abilities,
  contextOf,
  lookup,
  PageRequest,
  policy,
  policyContext,
  publicRoute,
  repository,
  resource,
  routes,
  scope,
} from 'pergola'
import { accessTable } from 'pergola/database'
import { expectParity, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'
import { decide } from '../src/policy/decide.ts'

// docs/authorization/groups.md contains the code between these marks, with the names Document and membership instead. A test
// of the CLI compares them. The names differ so that code from that page doesn't clash with this test.
// begin
interface BrochureTable {
  id: Generated<number>
  group_id: number
  title: string
}

interface MembershipTable {
  group_id: number
  user_id: number
}

declare module 'pergola' {
  interface Tables {
    brochures: BrochureTable
    enlistments: MembershipTable
  }
}

export const Brochure = resource('Brochure', {
  table: 'brochures',
  input: z.strictObject({ title: z.string() }),
  columns: ['group_id'],
})

export const enlistments = accessTable('enlistments')

/** Returns whether the caller belongs to a group. */
const enlistment = lookup(async (db, groupIds: readonly number[], ctx) => {
  const found = await db
    .selectFrom('enlistments')
    .select('group_id')
    .where('user_id', '=', ctx.userId)
    .where('group_id', 'in', groupIds)
    .execute()
  return new Map(found.map(({ group_id }) => [group_id, true]))
})

export const brochurePolicy = policy(Brochure, {
  canShow: async (ctx, brochure) => (await enlistment(ctx, brochure.group_id)) === true,
  canUpdate: async (ctx, brochure) => (await enlistment(ctx, brochure.group_id)) === true,
})

export const brochureScope = scope(Brochure, {
  where: (ctx, is) =>
    is.exists(
      is
        .selectFrom('enlistments')
        .select('enlistments.user_id')
        .where('enlistments.user_id', '=', ctx.userId)
        .whereRef('enlistments.group_id', '=', 'brochures.group_id'),
    ),
})

export const brochures = repository(Brochure, {
  api: '/api/brochures',
  policy: brochurePolicy,
  scope: brochureScope,
})
// end

// begin
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('brochures')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('group_id', 'bigint', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('enlistments')
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('group_id', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('enlistments_pkey', ['user_id', 'group_id'])
    .execute()
}
// end

const testDb = await testDatabase()
const buttons = routes('/brochures', {
  'GET /': [
    publicRoute(),
    async (req, res) => {
      const { content } = await brochures.visibleTo(await policyContext(req)).page(new PageRequest(1, 100))
      const before = testDb.statements.length
      const may = await abilities(req, Brochure, content, ['show', 'update', 'delete'])
      res.json({
        statements: testDb.statements.length - before,
        update: content.filter((row) => may(row, 'update')).length,
        remove: content.filter((row) => may(row, 'delete')).length,
      })
    },
  ],
})
const resources = [{ repository: brochures, routes: { buttons } }, { repository: users }]
const app = await testApp({ database: testDb, resources })
const [inBoth, inOne, inNone] = await app.within(() =>
  Promise.all([makeUser({ name: 'Both' }), makeUser({ name: 'One' }), makeUser({ name: 'None' })]),
)

beforeAll(async () => {
  await up(testDb.db as never)
  const member = (group_id: number, { id }: { id: number }) => ({ group_id, user_id: id })
  await testDb.db
    .insertInto('enlistments')
    .values([member(1, inBoth), member(2, inBoth), member(1, inOne)])
    .execute()
  await app.within(async () => {
    for (let count = 0; count < 150; count++)
      await brochures.asSystem('test').insert({ group_id: 1 + (count % 2), title: `Brochure ${count}` })
  })
})

describe('the group-membership pattern', () => {
  it('lists and shows the same rows, each once, even to a member of both groups', async () => {
    await expectParity(app, Brochure)
    const totals = await Promise.all(
      [inBoth, inOne, inNone, null].map(async (user) => {
        const client = user === null ? app.guest : await app.signInAs(user.email)
        return (await client.get('/api/brochures')).json() as { total_elements: number }
      }),
    )
    expect(totals.map(({ total_elements }) => total_elements)).toEqual([150, 75, 0, 0])
  })

  it('sends one query for the three hundred decisions on a page of a hundred rows', async () => {
    const client = await app.signInAs(inBoth.email)
    expect((await client.get('/brochures')).json()).toEqual({ statements: 1, update: 100, remove: 0 })
  })

  it('denies the record of a group that the caller is not in, and a guest', async () => {
    const theirs = await app.within(() => brochures.asSystem('test').insert({ group_id: 2, title: 'T' }))
    const client = await app.signInAs(inOne.email)
    expect((await client.get(`/api/brochures/${theirs.id}`)).status).toBe(404)
    expect((await app.guest.get(`/api/brochures/${theirs.id}`)).status).toBe(404)
    expect((await (await app.signInAs(inBoth.email)).get(`/api/brochures/${theirs.id}`)).status).toBe(200)
  })

  const asking = (parts: Parameters<typeof contextOf>[1]) => {
    const session = { id: 's', userId: inBoth.id, name: 'Both', roles: [] }
    const question = { action: 'show', resource: Brochure, record: { id: 1, group_id: 1, title: 'T' } }
    return decide(new Map([[Brochure, brochurePolicy]]), contextOf(session, parts), question)
  }

  it('denies without a database', async () => {
    expect(await asking({ db: () => testDb.db })).toMatchObject({ allowed: true })
    expect(await asking({})).toMatchObject({ allowed: false, cause: 'denied' })
  })

  it('denies if the query fails', async () => {
    await sql`alter table enlistments rename to elsewhere`.execute(testDb.db)
    try {
      expect(await asking({ db: () => testDb.db })).toMatchObject({ allowed: false, cause: 'error' })
      const client = await app.signInAs(inBoth.email)
      expect((await client.get('/api/brochures/1')).status).toBe(404)
    } finally {
      await sql`alter table elsewhere rename to enlistments`.execute(testDb.db)
    }
  })
})
