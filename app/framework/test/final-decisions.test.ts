import { type Generated, sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  database,
  type Guard,
  type Handler,
  load,
  lookup,
  policy,
  type PolicyContext,
  record,
  repository,
  resource,
  type RowOf,
  routes,
  scope,
  secured,
  Unavailable,
} from 'pergola'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    folios: { id: Generated<number>; team_id: number; title: string }
    team_members: { team_id: number; user_id: number }
  }
}

const Folio = resource('Folio', {
  table: 'folios',
  input: z.strictObject({ title: z.string(), team_id: z.number() }),
})

/** The values of a row or of a draft. */
type Values = { readonly [Column in keyof RowOf<typeof Folio>]?: RowOf<typeof Folio>[Column] | undefined }

const isMember = lookup(async (db, teams: readonly number[], ctx) => {
  const rows = await db
    .selectFrom('team_members')
    .select('team_id')
    .where('user_id', '=', ctx.userId)
    .where('team_id', 'in', teams)
    .execute()
  return new Map(rows.map(({ team_id }) => [team_id, true]))
})

/** What another request does between the decision of a route and the write of its handler. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve()
/** What another request does while the write's transaction is open. */
let duringWrite: () => Promise<unknown> = () => Promise.resolve()

const byLookup = async (ctx: PolicyContext, folio: Values) =>
  (await isMember(ctx, folio.team_id ?? 0)) === true

/** The rule of the policy. Tests replace it. */
let rule: (ctx: PolicyContext, folio: Values) => Promise<boolean> | boolean = byLookup
const mayWrite = (ctx: PolicyContext, folio: Values) => rule(ctx, folio)
afterEach(() => {
  rule = byLookup
  meanwhile = () => Promise.resolve()
  duringWrite = () => Promise.resolve()
})

const folios = repository(Folio, {
  policy: policy(Folio, {
    canShow: () => true,
    canCreate: mayWrite,
    canUpdate: mayWrite,
    canDelete: mayWrite,
  }),
  scope: scope(Folio, { where: (_ctx, is) => is.lit(true) }),
  hooks: { beforeUpdate: () => duringWrite().then(() => {}) },
})
const plainFolios = repository(Folio, {})

const pause: Guard = { kind: 'pause', run: () => meanwhile().then(() => {}) }
const create =
  (save: (draft: never) => Promise<unknown>): Handler =>
  async (req, res) => {
    const draft = await authorizeRecord(
      req,
      'create',
      Folio,
      { title: 'New', team_id: 1 },
      { set: ['title', 'team_id'] },
    )
    await meanwhile()
    await save(draft as never)
    res.status(201).end()
  }
const update: Handler = async (req, res) =>
  void res.json(await folios.update(record(req, Folio, 'update'), { title: 'Written' }, { set: ['title'] }))
const remove: Handler = async (req, res) => {
  await folios.delete(record(req, Folio, 'delete'))
  res.end()
}

const folioRoutes = routes('/folios', {
  'POST /': [secured(), create((draft) => folios.insert(draft))],
  'POST /many': [secured(), create((draft) => plainFolios.saveMany([draft]))],
  'PUT /:id': [secured(), load(Folio), authorize('update', Folio), pause, update],
  'DELETE /:id': [secured(), load(Folio), authorize('delete', Folio), pause, remove],
})

const testDb = await testDatabase()
const app = await testApp({
  database: testDb,
  resources: [{ repository: folios, routes: { folioRoutes } }, { repository: users }],
})
const member = await app.newcomer()

beforeAll(async () => {
  await sql`create table folios (id bigint generated always as identity primary key,
    team_id bigint not null, title text not null)`.execute(testDb.db)
  await sql`create table team_members (team_id bigint, user_id bigint, primary key (team_id, user_id))`.execute(
    testDb.db,
  )
  await sql`create view team_sizes as select team_id, count(*) from team_members group by team_id`.execute(
    testDb.db,
  )
})

const join = () =>
  testDb.db
    .insertInto('team_members')
    .values({ team_id: 1, user_id: member.user.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
const leave = () => testDb.db.deleteFrom('team_members').where('user_id', '=', member.user.id).execute()
const titles = async () =>
  (await testDb.db.selectFrom('folios').select('title').execute()).map((row) => row.title)
const makeFolio = () => app.within(() => folios.asSystem('test').insert({ title: 'Old', team_id: 1 }))

/** A member sends a request, and is no longer a member when the handler writes. */
async function writeAfterLeaving(send: (path: string) => Promise<{ status: number }>) {
  await join()
  const { id } = await makeFolio()
  meanwhile = leave
  const { status } = await send(`/folios/${id}`)
  meanwhile = () => Promise.resolve()
  return { status, left: await app.within(() => folios.asSystem('test').find(id)) }
}

describe('a decision that read related rows', () => {
  it('is made again before an update', async () => {
    const { status, left } = await writeAfterLeaving((path) =>
      member.post(path, { form: { _method: 'PUT' } }),
    )
    expect([status, left?.title]).toEqual([404, 'Old'])
  })

  it('is made again before a delete', async () => {
    const { status, left } = await writeAfterLeaving((path) =>
      member.post(path, { form: { _method: 'DELETE' } }),
    )
    expect([status, left?.title]).toEqual([404, 'Old'])
  })

  it.each(['/folios', '/folios/many'])('is made again before an insert by POST %s', async (path) => {
    const { status } = await writeAfterLeaving(() => member.post(path, { form: {} }))
    expect([status, await titles()]).toEqual([404, expect.not.arrayContaining(['New'])])
  })

  it('allows the write of a member, whose membership can’t be deleted before the commit', async () => {
    await join()
    const { id } = await makeFolio()
    const order: string[] = []
    let leaving: Promise<unknown> | undefined
    duringWrite = async () => {
      leaving = leave().then(() => order.push('left'))
      await lockWait(testDb.db)
      order.push('written')
    }
    const { status } = await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })
    duringWrite = () => Promise.resolve()
    await leaving
    expect([status, order]).toEqual([200, ['written', 'left']])
    expect((await app.within(() => folios.asSystem('test').find(id)))?.title).toBe('Written')
  })

  it('costs a transaction and the queries of the rule', async () => {
    await join()
    const { id } = await makeFolio()
    const before = testDb.statements.length
    await member.post(`/folios/${id}`, { form: { _method: 'DELETE' } })
    const sent = testDb.statements
      .slice(before)
      .filter((text) => /^(start|commit|select.*team_members)/.test(text))
    expect(sent).toEqual([
      expect.stringMatching(/team_members/),
      'start transaction isolation level read committed',
      expect.stringMatching(/team_members.* for key share of "team_members"$/),
      'commit',
    ])
  })

  it.each<[what: string, count: (ctx: PolicyContext) => Promise<number>]>([
    [
      'a common table expression',
      async ({ db }) => {
        const mine = db?.with('mine', (is) => is.selectFrom('team_members').selectAll()).selectFrom('mine')
        return (await mine?.selectAll().execute())?.length ?? 0
      },
    ],
    [
      'a view with groups',
      async ({ db }) =>
        (
          await db
            ?.selectFrom('team_sizes' as 'team_members')
            .selectAll()
            .execute()
        )?.length ?? 0,
    ],
    [
      'a function',
      async ({ db }) => {
        const members = db
          ?.selectFrom('team_members')
          .select((is) => is.fn<string>('count', ['team_id']).as('n'))
        return Number((await members?.executeTakeFirst())?.n)
      },
    ],
  ])('works if the rule reads %s, which can’t be locked', async (_what, count) => {
    await join()
    rule = async (ctx) => (await count(ctx)) > 0
    const { id } = await makeFolio()
    expect((await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })).status).toBe(200)
    await leave()
    expect((await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })).status).toBe(404)
  })

  it('locks the rows that a repository reads', async () => {
    const { id } = await makeFolio()
    rule = async () => (await folios.asSystem('test').find(id)) !== null
    const before = testDb.statements.length
    await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })
    const reads = testDb.statements
      .slice(before)
      .filter((text) => text.endsWith(' for key share of "folios"'))
    expect(reads.length).toBeGreaterThan(0)
  })

  it('lets one of two deletes of a row win that their rule reads, and returns 404 to the other', async () => {
    const { id } = await makeFolio()
    rule = async (_ctx, folio) => (await folios.asSystem('test').find(folio.id ?? 0)) !== null
    const both = Array.from({ length: 2 }, () =>
      member.post(`/folios/${id}`, { form: { _method: 'DELETE' } }),
    )
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404])
  })

  it('returns 503 if the database fails, not the 404 of a denial', async () => {
    await join()
    const { id } = await makeFolio()
    const deleting = testDb.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('team_members').execute()
      const { status } = await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })
      throw new Error(`rolled back after ${status}`)
    })
    await expect(deleting).rejects.toThrow('rolled back after 503')
  })

  it('returns the 503 of a rule at the time of the write, not the 404 of a denial', async () => {
    await join()
    const { id } = await makeFolio()
    rule = (ctx, folio) => {
      if (database().isTransaction) throw new Unavailable('every database connection is in use')
      return byLookup(ctx, folio)
    }
    expect((await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })).status).toBe(503)
  })

  it('is made in a transaction if a rule turns asynchronous after the decision of the route', async () => {
    await join()
    const inTransactions: boolean[] = []
    rule = (ctx, folio) => {
      if (folio.team_id === 1) return true
      inTransactions.push(database().isTransaction)
      return byLookup(ctx, { team_id: 1 })
    }
    const { id } = await makeFolio()
    meanwhile = () => app.within(() => folios.asSystem('test').update(id, { team_id: 2 }))
    const before = testDb.statements.length
    expect((await member.post(`/folios/${id}`, { form: { _method: 'PUT' } })).status).toBe(200)
    expect(inTransactions.at(-1)).toBe(true)
    // The decision that allows the write reads with locks.
    const reads = testDb.statements.slice(before).filter((text) => /^select.*team_members/.test(text))
    expect(reads.at(-1)).toMatch(/ for key share of "team_members"$/)
  })

  it('runs the hooks of an update once if only canBecome reads related rows', async () => {
    await join()
    const canBecome = (ctx: PolicyContext, _before: Values, after: Values) => byLookup(ctx, after)
    const becoming = await testApp({
      database: testDb,
      resources: [{ repository: folios, routes: { folioRoutes } }, { repository: users }],
      policies: [[Folio, policy(Folio, { canShow: () => true, canUpdate: () => true, canBecome })]],
    })
    const inTransactions: boolean[] = []
    duringWrite = () => Promise.resolve(inTransactions.push(database().isTransaction))
    const { id } = await makeFolio()
    const client = await becoming.signInAs(member.user.email)
    expect((await client.post(`/folios/${id}`, { form: { _method: 'PUT' } })).status).toBe(200)
    expect(inTransactions).toEqual([true])
  })

  it('reads the same rows once for all drafts of saveMany', async () => {
    await join()
    const many: Handler = async (req, res) => {
      const drafts = Array.from({ length: 20 }, () =>
        authorizeRecord(req, 'create', Folio, { title: 'Many', team_id: 1 }, { set: ['title', 'team_id'] }),
      )
      await plainFolios.saveMany(await Promise.all(drafts))
      res.end()
    }
    const bulk = await testApp({
      database: testDb,
      resources: [
        { repository: folios, routes: { bulk: routes('/bulk', { 'POST /': [secured(), many] }) } },
        { repository: users },
      ],
    })
    const before = testDb.statements.length
    expect((await (await bulk.signInAs(member.user.email)).post('/bulk', { form: {} })).status).toBe(200)
    const reads = testDb.statements.slice(before).filter((text) => text.includes('from "team_members"'))
    expect(reads).toHaveLength(2)
  })
})
