import { type Generated, sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  type Guard,
  type Handler,
  hasVisible,
  inScope,
  load,
  policy,
  type PolicyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
} from 'pergola'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    binders: { id: Generated<number>; team_id: number; title: string }
    binder_members: { team_id: number; user_id: number; role: Generated<string> }
    binder_sheets: { id: Generated<number>; binder_id: number; text: string }
  }
}

const Binder = resource('Binder', {
  table: 'binders',
  input: z.strictObject({ title: z.string(), team_id: z.number() }),
})
const Sheet = resource('Sheet', {
  table: 'binder_sheets',
  input: z.strictObject({ text: z.string() }),
  columns: ['binder_id'],
})

type Is = Parameters<Parameters<typeof scope<typeof Binder>>[1]['where']>[1]
const byExists = (ctx: PolicyContext, is: Is) =>
  is.exists(
    is
      .selectFrom('binder_members as m')
      .select(is.lit(1).as('one'))
      .where('m.user_id', '=', ctx.userId)
      .whereRef('m.team_id', '=', 'binders.team_id'),
  )
const byIn = (ctx: PolicyContext, is: Is) =>
  is('team_id', 'in', is.selectFrom('binder_members').select('team_id').where('user_id', '=', ctx.userId))
const byView = (ctx: PolicyContext, is: Is) =>
  is(
    'team_id',
    'in',
    is
      .selectFrom('binder_groups' as 'binder_members')
      .select('team_id')
      .where('user_id', '=', ctx.userId),
  )

/** The condition of the scope. Tests replace it. */
let where = byExists

const binders = repository(Binder, {
  policy: policy(Binder, {
    canShow: inScope(),
    canUpdate: inScope(),
    canDelete: inScope(),
  }),
  scope: scope(Binder, { where: (ctx, is) => where(ctx, is) }),
  hooks: { beforeUpdate: () => duringWrite().then(() => {}) },
})
const sheets = repository(Sheet, {
  policy: policy(Sheet, { canUpdate: inScope() }),
  scope: scope(Sheet, { where: (ctx) => hasVisible(ctx, Binder, 'binder_sheets.binder_id') }),
  hooks: { beforeUpdate: () => duringWrite().then(() => {}) },
})

/** What another request does between the decision of a route and the write of its handler. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve()
/** What another request does while the write's transaction is open. */
let duringWrite: () => Promise<unknown> = () => Promise.resolve()
const calm = () => {
  meanwhile = () => Promise.resolve()
  duringWrite = () => Promise.resolve()
}

const pause: Guard = { kind: 'pause', run: () => meanwhile().then(() => {}) }
const update: Handler = async (req, res) =>
  void res.json(await binders.update(record(req, Binder, 'update'), { title: 'Written' }, { set: ['title'] }))
const move: Handler = async (req, res) =>
  void res.json(await binders.update(record(req, Binder, 'update'), { team_id: 2 }, { set: ['team_id'] }))
const remove: Handler = async (req, res) => {
  await binders.delete(record(req, Binder, 'delete'))
  res.end()
}
const updateSheet: Handler = async (req, res) =>
  void res.json(await sheets.update(record(req, Sheet, 'update'), { text: 'Written' }, { set: ['text'] }))

const binderRoutes = routes('/binders', {
  'PUT /:id': [secured(), load(Binder), authorize('update', Binder), pause, update],
  'PUT /:id/team': [secured(), load(Binder), authorize('update', Binder), pause, move],
  'DELETE /:id': [secured(), load(Binder), authorize('delete', Binder), pause, remove],
})
const sheetRoutes = routes('/sheets', {
  'PUT /:id': [secured(), load(Sheet), authorize('update', Sheet), pause, updateSheet],
})

const testDb = await testDatabase()
const app = await testApp({
  database: testDb,
  resources: [
    { repository: binders, routes: { binderRoutes } },
    { repository: sheets, routes: { sheetRoutes } },
    { repository: users },
  ],
})
const member = await app.newcomer()

beforeAll(async () => {
  await sql`create table binders (id bigint generated always as identity primary key, team_id bigint not null,
    title text not null)`.execute(testDb.db)
  await sql`create table binder_members (team_id bigint, user_id bigint, role text not null default 'reader',
    primary key (team_id, user_id))`.execute(testDb.db)
  await sql`create table binder_sheets (id bigint generated always as identity primary key,
    binder_id bigint not null, text text not null)`.execute(testDb.db)
  await sql`create view binder_groups as select team_id, user_id from binder_members
    group by team_id, user_id`.execute(testDb.db)
})

const join = (team_id = 1) =>
  testDb.db
    .insertInto('binder_members')
    .values({ team_id, user_id: member.user.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
const leave = () => testDb.db.deleteFrom('binder_members').where('user_id', '=', member.user.id).execute()
const makeBinder = () => app.within(() => binders.asSystem('test').insert({ title: 'Old', team_id: 1 }))
const titleOf = async (id: number) => (await app.within(() => binders.asSystem('test').find(id)))?.title
const put = (path: string) => member.post(path, { form: { _method: 'PUT' } })

beforeEach(() => join())
afterEach(async () => {
  calm()
  where = byExists
  await leave()
})

const SCOPES = [
  ['exists', byExists],
  ['in', byIn],
  ['a view with groups, which can’t be locked', byView],
] as const

describe.each(SCOPES)('a write that a scope with %s allows', (_what, condition) => {
  beforeEach(() => {
    where = condition
  })

  it('is allowed to a member', async () => {
    const { id } = await makeBinder()
    expect((await put(`/binders/${id}`)).status).toBe(200)
    expect(await titleOf(id)).toBe('Written')
    expect((await member.post(`/binders/${id}`, { form: { _method: 'DELETE' } })).status).toBe(200)
  })

  it.each(['PUT', 'DELETE'])('is denied if the membership ends before it: %s', async (_method) => {
    const { id } = await makeBinder()
    meanwhile = leave
    expect((await member.post(`/binders/${id}`, { form: { _method } })).status).toBe(404)
    expect(await titleOf(id)).toBe('Old')
  })

  it('is denied if the updated row would leave the scope', async () => {
    const { id } = await makeBinder()
    expect((await put(`/binders/${id}/team`)).status).toBe(422)
    await join(2)
    expect((await put(`/binders/${id}/team`)).status).toBe(200)
  })
})

/** Sends a write during which the membership is deleted. Returns its status and the order of both. */
async function writeWhile(deletion: () => Promise<unknown>, path: string) {
  const order: string[] = []
  let leaving: Promise<unknown> | undefined
  duringWrite = async () => {
    leaving = deletion().then(() => order.push('left'))
    await lockWait(testDb.db)
    order.push('written')
  }
  const { status } = await put(path)
  calm()
  await leaving
  return [status, order]
}

describe('a membership', () => {
  it.each(SCOPES.slice(0, 2))('can’t be deleted before the commit: %s', async (_what, condition) => {
    where = condition
    const { id } = await makeBinder()
    expect(await writeWhile(leave, `/binders/${id}`)).toEqual([200, ['written', 'left']])
  })

  it('of the parent of a child can’t be deleted before the commit, nor can the parent', async () => {
    const { id } = await makeBinder()
    const sheet = () => app.within(() => sheets.asSystem('test').insert({ binder_id: id, text: 'Old' }))
    const removeParent = () => testDb.db.deleteFrom('binders').where('id', '=', id).execute()
    expect(await writeWhile(leave, `/sheets/${(await sheet()).id}`)).toEqual([200, ['written', 'left']])
    await join()
    expect(await writeWhile(removeParent, `/sheets/${(await sheet()).id}`)).toEqual([
      200,
      ['written', 'left'],
    ])
  })

  it('that another transaction has changed and not deleted still allows', async () => {
    const { id } = await makeBinder()
    let response: Promise<{ status: number }> | undefined
    await testDb.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('binder_members').set({ role: 'editor' }).execute()
      await transaction.deleteFrom('binder_members').where('team_id', '=', 99).execute()
      response = put(`/binders/${id}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    })
    expect((await response)?.status).toBe(200)
  })

  it('that another transaction deletes first denies, once that transaction has committed', async () => {
    const { id } = await makeBinder()
    let response: Promise<{ status: number }> | undefined
    await testDb.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('binder_members').execute()
      response = put(`/binders/${id}`)
      await lockWait(testDb.db)
    })
    expect((await response)?.status).toBe(404)
    expect(await titleOf(id)).toBe('Old')
  })

  it('of one parent is locked, and not the other parents', async () => {
    const { id } = await makeBinder()
    const other = await makeBinder()
    const { id: sheet } = await app.within(() =>
      sheets.asSystem('test').insert({ binder_id: id, text: 'Old' }),
    )
    let locked: unknown
    duringWrite = async () => {
      const free = await sql`select id from binders where id = ${other.id} for update skip locked`.execute(
        testDb.db,
      )
      const held = await sql`select id from binders where id = ${id} for update skip locked`.execute(
        testDb.db,
      )
      locked = [free.rows.length, held.rows.length]
    }
    expect((await put(`/sheets/${sheet}`)).status).toBe(200)
    expect(locked).toEqual([1, 0])
  })
})

it('costs the transaction and a statement for the row and one for the updated row', async () => {
  const { id } = await makeBinder()
  const before = testDb.statements.length
  await put(`/binders/${id}`)
  const sent = testDb.statements.slice(before).filter((text) => /^(start|commit|select|update)/.test(text))
  expect(sent.map((text) => /\/\* scope \*\//.exec(text)?.[0] ?? text.slice(0, 6))).toEqual([
    'select',
    'select',
    '/* scope */',
    'start ',
    'select',
    '/* scope */',
    'select',
    '/* scope */',
    'update',
    'commit',
  ])
  expect(sent.filter((text) => text.includes('/* scope */'))[1]).toMatch(/for key share of "m"\)/)
})
