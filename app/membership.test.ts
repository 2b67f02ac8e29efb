import { readFileSync } from 'node:fs'
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
} from '#framework'
import { expectParity } from '#app/test/expect-parity.ts'
import { testApp } from '#app/test/test-app.ts'
import { testDatabase } from '#app/test/test-database.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'
import { decide } from './framework/authorization/decide.ts'

// What stands between these marks stands in the README too, and a test below compares them.
// begin
interface DocumentTable {
  id: Generated<number>
  group_id: number
  title: string
}

interface MembershipTable {
  group_id: number
  user_id: number
}

declare module '#framework' {
  interface Tables {
    documents: DocumentTable
    memberships: MembershipTable
  }
}

export const Document = resource('Document', {
  table: 'documents',
  input: z.strictObject({ title: z.string() }),
})

/** Which of these groups the caller belongs to. */
const membership = lookup(async (db, groupIds: readonly number[], ctx) => {
  const found = await db
    .selectFrom('memberships')
    .select('group_id')
    .where('user_id', '=', ctx.userId)
    .where('group_id', 'in', groupIds)
    .execute()
  return new Map(found.map(({ group_id }) => [group_id, true]))
})

export const documentPolicy = policy(Document, {
  canShow: async (ctx, document) => (await membership(ctx, document.group_id)) === true,
  canUpdate: async (ctx, document) => (await membership(ctx, document.group_id)) === true,
})

export const documentScope = scope(Document, {
  where: (ctx, is) =>
    is.exists(
      is
        .selectFrom('memberships')
        .select('memberships.user_id')
        .where('memberships.user_id', '=', ctx.userId)
        .whereRef('memberships.group_id', '=', 'documents.group_id'),
    ),
})

export const documents = repository(Document, {
  api: '/api/documents',
  policy: documentPolicy,
  scope: documentScope,
})
// end

// begin
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('documents')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('group_id', 'bigint', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('memberships')
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('group_id', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('memberships_pkey', ['user_id', 'group_id'])
    .execute()
}
// end

const testDb = await testDatabase()
const buttons = routes('/documents', {
  'GET /': [
    publicRoute(),
    async (req, res) => {
      const { content } = await documents.visibleTo(await policyContext(req)).page(new PageRequest(1, 100))
      const before = testDb.statements.length
      const may = await abilities(req, Document, content, ['show', 'update', 'delete'])
      res.json({
        statements: testDb.statements.length - before,
        update: content.filter((row) => may(row, 'update')).length,
        remove: content.filter((row) => may(row, 'delete')).length,
      })
    },
  ],
})
const resources = [{ repository: documents, routes: buttons }, { repository: users }]
const app = await testApp({ database: testDb, resources })
const [inBoth, inOne, inNone] = await app.within(() =>
  Promise.all([makeUser({ name: 'Both' }), makeUser({ name: 'One' }), makeUser({ name: 'None' })]),
)

beforeAll(async () => {
  await up(testDb.db as never)
  const member = (group_id: number, { id }: { id: number }) => ({ group_id, user_id: id })
  await testDb.db
    .insertInto('memberships')
    .values([member(1, inBoth), member(2, inBoth), member(1, inOne)])
    .execute()
  await app.within(async () => {
    for (let count = 0; count < 150; count++)
      await documents.asSystem('test').insert({ group_id: 1 + (count % 2), title: `Document ${count}` })
  })
})

describe('the group-membership pattern', () => {
  it('is the one of the README', () => {
    const here = readFileSync(import.meta.filename, 'utf8')
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const parts = [...here.matchAll(/\/\/ begin\n([\s\S]*?)\/\/ end/g)].map(([, part = '']) => part)
    expect(parts).toHaveLength(2)
    for (const part of parts) expect(readme).toContain(part)
  })

  it('lists and shows the same, each row once also for who is in both groups', async () => {
    await expectParity(app, Document)
    const totals = await Promise.all(
      [inBoth, inOne, inNone, null].map(async (user) => {
        const client = user === null ? app.guest : await app.signInAs(user.email)
        return (await client.get('/api/documents')).json() as { total_elements: number }
      }),
    )
    expect(totals.map(({ total_elements }) => total_elements)).toEqual([150, 75, 0, 0])
  })

  it('needs one query for the three hundred answers of a page of a hundred', async () => {
    const client = await app.signInAs(inBoth.email)
    expect((await client.get('/documents')).json()).toEqual({ statements: 1, update: 100, remove: 0 })
  })

  it('denies the record of a group that the caller is not in, and a guest', async () => {
    const theirs = await app.within(() => documents.asSystem('test').insert({ group_id: 2, title: 'T' }))
    const client = await app.signInAs(inOne.email)
    expect((await client.get(`/api/documents/${theirs.id}`)).status).toBe(404)
    expect((await app.guest.get(`/api/documents/${theirs.id}`)).status).toBe(404)
    expect((await (await app.signInAs(inBoth.email)).get(`/api/documents/${theirs.id}`)).status).toBe(200)
  })

  const asking = (parts: Parameters<typeof contextOf>[1]) => {
    const session = { id: 's', userId: inBoth.id, name: 'Both', roles: [] }
    const question = { action: 'show', resource: Document, record: { id: 1, group_id: 1, title: 'T' } }
    return decide(new Map([[Document, documentPolicy]]), contextOf(session, parts), question)
  }

  it('denies without a database', async () => {
    expect(await asking({ db: () => testDb.db })).toMatchObject({ allowed: true })
    expect(await asking({})).toMatchObject({ allowed: false, cause: 'denied' })
  })

  it('denies when the query fails', async () => {
    await sql`alter table memberships rename to elsewhere`.execute(testDb.db)
    try {
      expect(await asking({ db: () => testDb.db })).toMatchObject({ allowed: false, cause: 'error' })
      const client = await app.signInAs(inBoth.email)
      expect((await client.get('/api/documents/1')).status).toBe(404)
    } finally {
      await sql`alter table elsewhere rename to memberships`.execute(testDb.db)
    }
  })
})
