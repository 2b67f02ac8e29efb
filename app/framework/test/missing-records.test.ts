import { type Generated, sql } from 'kysely'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  database,
  type Guard,
  inScope,
  load,
  lookup,
  policy,
  type PolicyContext,
  publicRoute,
  repository,
  resource,
  routes,
  scope,
  secured,
} from 'pergola'
import { comparable, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    shelves: { id: Generated<number>; team_id: number; owner_id: number; title: string }
    shelf_books: { id: Generated<number>; shelf_id: number; title: string }
    shelf_members: { team_id: number; user_id: number }
  }
}

const Shelf = resource('Shelf', {
  table: 'shelves',
  input: z.strictObject({ title: z.string() }),
  columns: ['team_id'],
  owner: 'owner_id',
})
type Shelf = { id: number; team_id: number; owner_id: number; title: string }
const Book = resource('Book', {
  table: 'shelf_books',
  input: z.strictObject({ title: z.string() }),
  columns: ['shelf_id'],
  references: { shelf_id: Shelf },
})

const membership = lookup(async (db, teamIds: readonly number[], ctx) => {
  const rows = await db
    .selectFrom('shelf_members')
    .select('team_id')
    .where('team_id', 'in', teamIds)
    .where('user_id', '=', ctx.userId)
    .execute()
  return new Map(rows.map(({ team_id }) => [team_id, true]))
})
const bookOf = lookup(async (db, shelfIds: readonly number[]) => {
  const rows = await db.selectFrom('shelf_books').selectAll().where('shelf_id', 'in', shelfIds).execute()
  return new Map(rows.map(({ id, shelf_id }) => [shelf_id, id]))
})
const teamOf = lookup(async (db, shelfIds: readonly number[]) => {
  const rows = await db.selectFrom('shelves').select(['id', 'team_id']).where('id', 'in', shelfIds).execute()
  return new Map(rows.map(({ id, team_id }) => [id, team_id]))
})

const shelfScope = scope(Shelf, {
  where: (ctx, is) =>
    is.or([
      is('owner_id', '=', ctx.userId),
      is.exists(
        is
          .selectFrom('shelf_members')
          .select('shelf_members.user_id')
          .where('shelf_members.user_id', '=', ctx.userId)
          .whereRef('shelf_members.team_id', '=', 'shelves.team_id'),
      ),
    ]),
})

const isMember = async (ctx: PolicyContext, { team_id }: Shelf) => (await membership(ctx, team_id)) === true
const forEach = <Rule>(rule: Rule) => ({ canShow: rule, canUpdate: rule, canDelete: rule })
/** A policy for each kind of rule. All of them deny the guest and the stranger. */
const POLICIES = {
  'a plain rule': policy(
    Shelf,
    forEach((ctx: PolicyContext, shelf: Shelf) => ctx.owns(shelf.owner_id)),
  ),
  'a lookup': policy(Shelf, forEach(isMember)),
  'a lookup after a plain condition': policy(
    Shelf,
    forEach(async (ctx: PolicyContext, shelf: Shelf) => ctx.owns(shelf.owner_id) || isMember(ctx, shelf)),
  ),
  'a lookup by its own id': policy(
    Shelf,
    forEach(async (ctx: PolicyContext, { id }: Shelf) => (await bookOf(ctx, id)) === -1),
  ),
  'two lookups at once': policy(
    Shelf,
    forEach(async (ctx: PolicyContext, shelf: Shelf) => {
      const [member, book] = await Promise.all([isMember(ctx, shelf), bookOf(ctx, shelf.id)])
      return member && book !== undefined
    }),
  ),
  'a query': policy(
    Shelf,
    forEach(async (ctx: PolicyContext, { team_id }: Shelf) => {
      const rows = ctx.db?.selectFrom('shelf_members').selectAll().where('team_id', '=', team_id).execute()
      return (await rows)?.some(({ user_id }) => user_id === ctx.userId) === true
    }),
  ),
  'a lookup in before': policy(Shelf, {
    ...forEach(() => false),
    before: async (ctx, _action, shelf) =>
      (await membership(ctx, shelf.team_id ?? -1)) === true ? true : undefined,
  }),
  inScope: policy(Shelf, forEach(inScope())),
  'inScope in a function': policy(
    Shelf,
    forEach(async (ctx: PolicyContext, shelf: Shelf) => (await isListed(ctx, shelf)) === true),
  ),
  'a rule that throws for another row than the stored one': policy(
    Shelf,
    forEach(async (ctx: PolicyContext, shelf: Shelf) => {
      const isListed = await isMember(ctx, shelf)
      return isListed && shelf.title.length > 0
    }),
  ),
  'no rule': policy(Shelf, {}),
} as const
const isListed = policy(Shelf, { canShow: inScope() }).rules.canShow

const bookPolicy = policy(Book, {
  canShow: async (ctx, { shelf_id }) => (await membership(ctx, (await teamOf(ctx, shelf_id)) ?? -1)) === true,
  canCreate: () => true,
})

const shelves = repository(Shelf, {
  api: '/api/shelves',
  scope: shelfScope,
  policy: POLICIES['a plain rule'],
})
const shelfBooks = repository(Book, { policy: bookPolicy })

/** A guard that sends a statement, as one of the application may. */
const noted: Guard = { kind: 'noted', run: async () => void (await sql`select 'noted'`.execute(database())) }
const send = (_req: unknown, res: { json(value: unknown): unknown }) => void res.json({})
const shelfRoutes = routes('/shelves', {
  'GET /:id': [publicRoute(), load(Shelf), authorize('show', Shelf), send],
  'GET /:id/noted': [publicRoute(), load(Shelf), noted, authorize('show', Shelf), send],
  'PUT /:id': [secured(), load(Shelf), authorize('update', Shelf), send],
  'GET /:id/found': [
    publicRoute(),
    async (req, res) => {
      await authorizeRecord(req, 'show', Shelf, await shelves.asSystem('test').find(Number(req.params['id'])))
      res.json({})
    },
  ],
  'GET /:id/by-id': [
    publicRoute(),
    async (req, res) => void res.json(await authorizeRecord(req, 'show', Shelf, Number(req.params['id']))),
  ],
  'GET /:shelf/books/:id': [
    publicRoute(),
    load(Shelf, { param: 'shelf' }),
    authorize('show', Shelf),
    // So that the next guard doesn't begin early.
    noted,
    load(Book, { below: { shelf_id: 'shelf' } }),
    authorize('show', Book),
    send,
  ],
  'POST /:id/books': [
    secured(),
    load(Shelf),
    authorize('show', Shelf),
    authorize('create', Book, { below: { shelf_id: 'id' } }),
    send,
  ],
  // Without a decision about the shelf itself.
  'POST /:id/notes': [secured(), load(Shelf), authorize('create', Book, { below: { shelf_id: 'id' } }), send],
})
const REQUESTS: [method: string, path: (id: number) => string, body?: object][] = [
  ['GET', (id) => `/shelves/${id}`],
  ['GET', (id) => `/shelves/${id}/noted`],
  ['PUT', (id) => `/shelves/${id}`, { form: { title: 'T' } }],
  ['GET', (id) => `/shelves/${id}/found`],
  ['GET', (id) => `/shelves/${id}/by-id`],
  ['GET', (id) => `/shelves/${id}/books/7`],
  ['POST', (id) => `/shelves/${id}/books`, { form: {} }],
  ['GET', (id) => `/api/shelves/${id}`],
  ['PUT', (id) => `/api/shelves/${id}`, { json: { title: 'T' } }],
  ['DELETE', (id) => `/api/shelves/${id}`],
]

const testDb = await testDatabase()
const resources = [
  { repository: shelves, routes: { shelfRoutes } },
  { repository: shelfBooks },
  { repository: users },
]
beforeAll(async () => {
  await sql`create table shelves (id bigint generated always as identity primary key, team_id bigint not null,
    owner_id bigint not null, title text not null)`.execute(testDb.db)
  await sql`create table shelf_books (id bigint generated always as identity primary key, shelf_id bigint not null,
    title text not null)`.execute(testDb.db)
  await sql`create table shelf_members (team_id bigint, user_id bigint, primary key (team_id, user_id))`.execute(
    testDb.db,
  )
})

describe.each(Object.entries(POLICIES))('a record that %s denies', (_kind, shelfPolicy) => {
  it.each(['404', 'auto'] as const)(
    'looks like a missing one, with the same statements: %s',
    async (forbiddenResponse) => {
      const app = await testApp({
        database: testDb,
        resources,
        policies: [[Shelf, shelfPolicy]],
        forbiddenResponse,
      })
      const [owner, stranger] = [await app.newcomer(), await app.newcomer()]
      const make = () =>
        app.within(() =>
          shelves.asSystem('test').insert({ team_id: 5, owner_id: owner.user.id, title: 'Old' }),
        )
      const [{ id: denied }, { id: missing }] = [await make(), await make()]
      await app.within(() => shelves.asSystem('test').delete(missing))
      for (const client of [stranger, app.guest])
        for (const [method, path, body] of REQUESTS) {
          if (client === app.guest && method !== 'GET') continue
          const ask = async (id: number) => {
            testDb.statements.length = 0
            const answer = await client.send(method, path(id), body)
            return { answer: comparable(answer), statements: [...testDb.statements] }
          }
          const first = await ask(missing)
          const second = await ask(denied)
          expect(second).toEqual(first)
          expect(await ask(missing)).toEqual(second)
          expect(first.answer.status).toBe(404)
        }
    },
  )
})

describe('a record below another one', () => {
  it('looks like a missing one with the same statements if it is denied, and if it is below a third one', async () => {
    const app = await testApp({ database: testDb, resources })
    const { user, ...client } = await app.newcomer()
    const make = () =>
      app.within(() => shelves.asSystem('test').insert({ team_id: 5, owner_id: user.id, title: 'Old' }))
    const [own, other] = [await make(), await make()]
    const makeBook = (shelf_id: number) =>
      app.within(() => shelfBooks.asSystem('test').insert({ shelf_id, title: 'Old' }))
    const ids = [(await makeBook(own.id)).id, (await makeBook(other.id)).id, 999_999]
    const answers = []
    for (const id of ids) {
      testDb.statements.length = 0
      const answer = await client.get(`/shelves/${own.id}/books/${id}`)
      answers.push({ answer: comparable(answer), statements: [...testDb.statements] })
    }
    expect(answers[0]?.answer.status).toBe(404)
    expect(answers.slice(1)).toEqual([answers[0], answers[0]])
  })

  it('is not created if the other one is missing and no guard decides about that', async () => {
    const app = await testApp({ database: testDb, resources })
    const client = await app.newcomer()
    expect((await client.post('/shelves/999999/notes', { form: {} })).status).toBe(404)
  })
})

describe('the log', () => {
  it('has a line for a missing record as for a denied one, and no error of its rule', async () => {
    const lines: object[] = []
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as object) })
    const throwing = policy(
      Shelf,
      forEach((_ctx: PolicyContext, shelf: Shelf) => shelf.title.at(-1)!.length > 0),
    )
    const app = await testApp({ database: testDb, resources, log, policies: [[Shelf, throwing]] })
    await app.guest.get('/shelves/999999')
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: 'missing',
        level: 30,
        action: 'show',
        resource: 'Shelf',
        id: 999_999,
      }),
    )
    expect(lines).not.toContainEqual(expect.objectContaining({ level: 50 }))
  })
})
