import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  field,
  load,
  policy,
  type PolicyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
  withDatabase,
} from 'pergola'
import { resourceFacts } from '../src/manifest/resource-facts.ts'
import { history, transitions } from 'pergola/features'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

const STATES = ['open', 'on_hold', 'closed'] as const
const NEXT_STATES = { open: ['on_hold'], on_hold: ['open', 'closed'], closed: [] } as const

interface ErrandTable {
  id: Generated<number>
  title: string
  state: Generated<(typeof STATES)[number]>
  moves: Generated<number>
  owner_id: number
  version: Generated<number>
}

declare module 'pergola' {
  interface Tables {
    errands: ErrandTable
  }
  interface Policies {
    Errand: typeof errandPolicy
  }
}

const Errand = resource('Errand', {
  table: 'errands',
  input: z.strictObject({ title: field.string() }),
  columns: ['state', 'moves'],
  owner: 'owner_id',
  version: true,
})
type Row = { owner_id: number }
const owns = (ctx: PolicyContext, errand: Row) => ctx.owns(errand.owner_id)

const errandPolicy = policy(Errand, {
  canShow: (ctx, errand) => owns(ctx, errand) || ctx.hasRole('admin'),
  canCreate: (ctx) => ctx.userId !== null,
  canUpdate: owns,
  canDelete: owns,
  canMarkOpen: owns,
  canMarkOnHold: owns,
  canMarkClosed: (ctx, errand) => owns(ctx, errand) && errand.title !== 'endless',
  canPraise: owns,
  canForget: owns,
})

const errands = repository(Errand, {
  api: '/api/errands',
  policy: errandPolicy,
  scope: scope(Errand, { where: (ctx, is) => is('owner_id', '=', ctx.userId) }),
  actions: {
    markOpen: () => ({ state: 'open' }),
    markOnHold: () => ({ state: 'on_hold', moves: 1 }),
    markClosed: () => ({ state: 'closed' }),
    praise: () => ({}),
  },
  features: [history, transitions('state', NEXT_STATES)],
})
/** Only the transitions watch its writes. */
const unrecorded = repository(Errand, {
  policy: errandPolicy,
  features: [transitions('state', NEXT_STATES)],
})

const errandRoutes = routes('/errands', {
  'POST /:id/mark-on-hold': [
    secured(),
    load(Errand),
    authorize('markOnHold', Errand),
    async (req, res) => {
      const errand = record(req, Errand, 'markOnHold')
      await onceBefore?.()
      res.json(await errands.perform(errand, 'markOnHold'))
    },
  ],
  'POST /:id/twice': [
    secured(),
    load(Errand),
    authorize('update', Errand),
    authorize('markClosed', Errand),
    async (req, res) => {
      const errand = record(req, Errand, 'markClosed')
      await onceBefore?.()
      res.json(await errands.perform(errand, 'markClosed'))
    },
  ],
  'POST /:id/by-update': [
    secured(),
    load(Errand),
    authorize('praise', Errand),
    async (req, res) =>
      void res.json(await errands.update(record(req, Errand, 'praise'), { moves: 9 }, { set: ['moves'] })),
  ],
  'POST /:id/forgotten': [
    secured(),
    load(Errand),
    authorize('forget', Errand),
    async (req, res) => void res.json(await errands.perform(record(req, Errand, 'forget'), 'forget')),
  ],
})
let onceBefore: (() => Promise<unknown>) | undefined

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [{ repository: errands, routes: { errandRoutes } }, { repository: users }],
})
const [owner, stranger] = await Promise.all([app.newcomer(), app.newcomer()])
const admin = await app.newcomer({ roles: ['admin'] })
const within = <Result>(work: () => Promise<Result>) => withDatabase(database.db, work)
const system = errands.asSystem('a test')

beforeAll(async () => {
  await sql`create table errands (id bigint generated always as identity primary key, title text not null,
    state text not null default 'open', moves integer not null default 0, owner_id bigint not null references users,
    version integer not null default 1)`.execute(database.db)
})

const make = (values: Partial<Parameters<typeof system.insert>[0]> = {}) =>
  within(() => system.insert({ title: 'A', owner_id: owner.user.id, ...values }))
const stored = (id: number) => within(() => system.find(id))
const stateOf = async (id: number) => (await stored(id))?.state
const post = (path: string, client: typeof app.guest = owner, headers = { 'if-match': '*' }) =>
  client.post(path, { json: {}, headers })

describe('the actions of a repository', () => {
  it('are routes of the API, which write the declared values and return the record', async () => {
    const { id } = await make()
    const answer = await post(`/api/errands/${id}/mark-on-hold`)
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { id, state: 'on_hold', moves: 1, version: 2 },
    ])
    expect(answer.headers.get('etag')).toBe('"2"')
    expect(await stored(id)).toEqual(answer.json())
  })

  it('are denied by the rule of their own verb', async () => {
    const { id } = await make({ title: 'endless', state: 'on_hold' })
    const answers = await Promise.all([
      post(`/api/errands/${id}/mark-closed`, app.guest),
      post(`/api/errands/${id}/mark-closed`, stranger),
      post(`/api/errands/${id}/mark-closed`, admin),
      post(`/api/errands/${id}/mark-closed`),
      post('/api/errands/0/mark-closed'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 404, 404, 404])
    expect(await stateOf(id)).toBe('on_hold')
  })

  it('need the version of the record in the API', async () => {
    const { id } = await make()
    const path = `/api/errands/${id}/mark-on-hold`
    const missing = await owner.post(path, { json: {} })
    const stale = await post(path, owner, { 'if-match': '"7"' })
    expect([missing.status, stale.status, await stateOf(id)]).toEqual([428, 412, 'open'])
  })

  it('write nothing if they declare nothing', async () => {
    const errand = await make()
    expect((await post(`/api/errands/${errand.id}/praise`)).json()).toEqual(errand)
    expect(await stored(errand.id)).toEqual(errand)
  })

  it('change a record that was written since the decision only if the policy still allows it', async () => {
    const { id } = await make()
    onceBefore = () => within(() => system.update(id, { title: 'B' }))
    expect((await post(`/errands/${id}/mark-on-hold`)).json()).toMatchObject({ title: 'B', state: 'on_hold' })
    onceBefore = () => within(() => system.update(id, { owner_id: stranger.user.id }))
    expect((await post(`/errands/${id}/mark-on-hold`)).status).toBe(404)
    onceBefore = undefined
  })

  it('are decided by their own rule again, although the caller may update the record', async () => {
    const { id } = await make({ state: 'on_hold' })
    onceBefore = () => within(() => system.update(id, { title: 'endless' }))
    expect((await post(`/errands/${id}/twice`)).status).toBe(404)
    onceBefore = undefined
    expect(await stateOf(id)).toBe('on_hold')
  })

  it('allow no other write', async () => {
    const errand = await make()
    expect((await post(`/errands/${errand.id}/by-update`)).status).toBe(500)
    expect(await stored(errand.id)).toEqual(errand)
  })

  it('throw if the repository declares no values for them', async () => {
    const { id } = await make()
    expect((await post(`/errands/${id}/forgotten`)).status).toBe(500)
  })

  it('are in the manifest', () => {
    expect(resourceFacts({ repository: errands }).updated_by).toEqual([
      'markClosed',
      'markOnHold',
      'markOpen',
      'praise',
    ])
  })
})

describe('the feature transitions', () => {
  it.each(STATES)('lets the state %s change only to the states that follow it', async (from) => {
    for (const [path, to] of [
      ['mark-open', 'open'],
      ['mark-on-hold', 'on_hold'],
      ['mark-closed', 'closed'],
    ] as const) {
      const { id } = await make({ state: from })
      const isAllowed = from === to || NEXT_STATES[from].some((state) => state === to)
      const answer = await post(`/api/errands/${id}/${path}`)
      expect([to, answer.status, await stateOf(id)]).toEqual([
        to,
        isAllowed ? 200 : 422,
        isAllowed ? to : from,
      ])
    }
  })

  it('names both states in the error', async () => {
    const { id } = await make({ state: 'on_hold' })
    await within(() => system.update(id, { state: 'closed' }))
    expect((await post(`/api/errands/${id}/mark-on-hold`)).json()).toMatchObject({
      errors: [{ field: 'state', messages: ['Closed can’t become on hold.'] }],
    })
  })

  it('applies to asSystem, to upsertMany and to inBatches, all or none', async () => {
    const [one, other] = [await make(), await make({ state: 'closed' })]
    const writes: (() => Promise<unknown>)[] = [
      () => system.update(other.id, { state: 'open' }),
      () =>
        system.upsertMany(
          [
            { id: one.id, state: 'on_hold' },
            { id: other.id, state: 'open' },
          ],
          { columns: ['state'] },
        ),
      async () => {
        for await (const range of system.inBatches(100, {
          where: (is) => is.and([is('id', 'in', [one.id, other.id]), is('state', '<>', 'on_hold')]),
        }))
          await range.update({ state: 'on_hold' })
      },
    ]
    for (const write of writes) await expect(within(write)).rejects.toMatchObject({ status: 422 })
    expect([await stateOf(one.id), await stateOf(other.id)]).toEqual(['open', 'closed'])
  })

  it('lets a batch change the column that it selects by', async () => {
    const { id } = await make()
    const batches = system.inBatches(100, {
      where: (is) => is.and([is('id', '=', id), is('state', '=', 'open')]),
    })
    await within(async () => {
      for await (const range of batches) expect(await range.update({ state: 'on_hold' })).toBe(1)
    })
    expect(await stateOf(id)).toBe('on_hold')
  })

  it('lets one of two requests at once change the state', async () => {
    const { id } = await make({ state: 'on_hold' })
    const answers = await Promise.all([
      post(`/api/errands/${id}/mark-open`),
      post(`/api/errands/${id}/mark-closed`),
    ])
    const statuses = answers.map(({ status }) => status)
    const state = await stateOf(id)
    // A closed errand can't be opened, but an open one can't be closed either.
    expect([statuses, state]).toEqual(state === 'open' ? [[200, 422], 'open'] : [[422, 200], 'closed'])
  })

  it('waits for a change of the same record, and decides on its result', async () => {
    const { id } = await make({ state: 'on_hold' })
    const [blocked] = await database.db.transaction().execute(async (other) => {
      await sql`update errands set state = 'closed' where id = ${id}`.execute(other)
      const change = within(() => unrecorded.asSystem('a test').update(id, { state: 'open' })).catch(
        (error: unknown) => error,
      )
      await lockWait(database.db)
      return [change]
    })
    expect(await blocked).toMatchObject({ status: 422 })
  })

  it('costs nothing for a write of other columns', async () => {
    const { id } = await make()
    const before = database.statements.length
    await within(() => unrecorded.asSystem('a test').update(id, { title: 'B' }))
    expect(database.statements.slice(before)).toHaveLength(1)
  })

  it('calls the state of a column without a value nothing', async () => {
    await sql`alter table errands alter state drop not null`.execute(database.db)
    const { id } = await make({ state: null as never })
    await expect(within(() => system.update(id, { state: 'open' }))).rejects.toMatchObject({
      errors: [{ field: 'state', messages: ['Nothing can’t become open.'] }],
    })
  })

  it('refuses a column that the resource lacks', () => {
    expect(() => repository(Errand, { features: [transitions('phase', NEXT_STATES)] })).toThrow(
      'Errand has no column phase. Name the column with the state in transitions.',
    )
  })
})
