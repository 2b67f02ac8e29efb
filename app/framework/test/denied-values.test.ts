import { type Generated, sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  deny,
  type Guard,
  type Handler,
  jsonBody,
  jsonInput,
  lookup,
  policy,
  type PolicyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    crews: { id: Generated<number>; name: string; hidden: Generated<boolean> }
    crew_members: { crew_id: number; user_id: number }
    chores: { id: Generated<number>; crew_id: number; title: string; urgent: boolean; note: string | null }
  }
}

const Crew = resource('Crew', {
  table: 'crews',
  input: z.strictObject({ name: z.string() }),
  columns: ['hidden'],
})
const Chore = resource('Chore', {
  table: 'chores',
  input: z.strictObject({ crew_id: z.number(), title: z.string(), urgent: z.boolean().default(false) }),
  columns: ['note'],
  references: { crew_id: Crew },
})

interface Draft {
  readonly crew_id?: number | undefined
  readonly title?: string | undefined
  readonly urgent?: boolean | undefined
  readonly note?: string | null | undefined
}
type Rule = (ctx: PolicyContext, draft: Draft) => unknown

const isMember = lookup(async (db, crews: readonly number[], ctx) => {
  const rows = await db
    .selectFrom('crew_members')
    .select('crew_id')
    .where('user_id', '=', ctx.userId)
    .where('crew_id', 'in', crews)
    .execute()
  return new Map(rows.map(({ crew_id }) => [crew_id, true]))
})

/** As the policy of a resource whose form chooses the parent. */
const ofMembers: Rule = async (ctx, { crew_id }) =>
  ctx.userId !== null && (crew_id === undefined || (await isMember(ctx, crew_id)) === true)

/** The rule of the policy, the hook, and what happens between the guards and the handler. Tests replace them. */
let rule = ofMembers
let hook: () => object | undefined = () => undefined
let meanwhile: () => Promise<unknown> = () => Promise.resolve()
afterEach(() => {
  rule = ofMembers
  hook = () => undefined
  meanwhile = () => Promise.resolve()
})

const crews = repository(Crew, {
  policy: policy(Crew, { canShow: (_ctx, crew) => !crew.hidden }),
  scope: scope(Crew, { where: (_ctx, is) => is('hidden', '=', false) }),
})
const chorePolicy = policy(Chore, {
  canShow: () => true,
  canCreate: (ctx, draft) => rule(ctx, draft) as boolean,
})
const parts = { policy: chorePolicy, scope: scope(Chore, { where: (_ctx, is) => is.lit(true) }) }
const chores = repository(Chore, { ...parts, api: '/api/chores', hooks: { beforeInsert: () => hook() } })
const plainChores = repository(Chore, parts)

const pause: Guard = { kind: 'pause', run: () => meanwhile().then(() => {}) }
const creating = [secured(), authorize('create', Chore), pause, jsonBody()] as const
/** Stores the input for a crew that the code chooses. */
const createForCrew: Handler = async (req, res) => {
  const values = { ...(await jsonInput(req, Chore)), crew_id: Number(req.params['crew']) }
  res.json(await chores.insert(record(req, Chore, 'create'), values, { set: ['crew_id'] }))
}
const createMany: Handler = async (req, res) => {
  const draft = await authorizeRecord(req, 'create', Chore, await jsonInput(req, Chore))
  await meanwhile()
  res.json(await plainChores.saveMany([draft]))
}
const choreRoutes = routes('/chores', {
  'POST /': [
    secured(),
    authorize('create', Chore),
    pause,
    async (req, res) => {
      const form = await chores.createFrom(req)
      res.status(form.valid ? 201 : form.status).json(form)
    },
  ],
  'POST /of/:crew': [...creating, createForCrew],
  'POST /many': [secured(), jsonBody(), createMany],
})

const database = await testDatabase()
const resources = [
  { repository: chores, routes: { choreRoutes } },
  { repository: crews },
  { repository: users },
]
const app = await testApp({ database, resources })
const member = await app.newcomer()
/** A crew of the member, one that the member only sees, and one that the member doesn't see. */
const [OWN, OTHER, HIDDEN, MISSING] = [1, 2, 3, 999_999]

beforeAll(async () => {
  await sql`create table crews (id bigint primary key, name text not null, hidden boolean not null default false)`.execute(
    database.db,
  )
  await sql`create table crew_members (crew_id bigint, user_id bigint, primary key (crew_id, user_id))`.execute(
    database.db,
  )
  await sql`create table chores (id bigint generated always as identity primary key, crew_id bigint not null
    references crews, title text not null, urgent boolean not null, note text)`.execute(database.db)
  await sql`insert into crews values (${OWN}, 'Own', false), (${OTHER}, 'Other', false), (${HIDDEN}, 'Hidden', true)`.execute(
    database.db,
  )
})
beforeEach(() => join())

const join = () =>
  database.db
    .insertInto('crew_members')
    .values({ crew_id: OWN, user_id: member.user.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
const leave = () => database.db.deleteFrom('crew_members').execute()
const stored = () => app.within(() => chores.asSystem('test').count())

const REFUSED = 'You don’t have permission to create a record with this value.'
const typed = { title: 'Fetch water', urgent: 'on' }
const json = { title: 'Fetch water', urgent: true }
const submit = (crew_id: number, more: object = {}) =>
  member.post('/chores', { form: { ...typed, crew_id: String(crew_id), ...more } })
const send = (crew_id: number, more: object = {}, headers = {}) =>
  member.post('/api/chores', { json: { ...json, crew_id, ...more }, headers })
const errorsOf = (answer: { status: number; json: () => unknown }) => [
  answer.status,
  (answer.json() as { errors?: unknown }).errors,
]

describe('a draft that the policy denies because of a value that the caller chose', () => {
  it('is a form with the input and an error at the field', async () => {
    const before = await stored()
    const answer = await submit(OTHER)
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { valid: false, values: { ...json, crew_id: OTHER }, errors: { crew_id: [REFUSED] } },
    ])
    expect(errorsOf(answer)[1]).toEqual({ crew_id: [REFUSED] })
    expect(await stored()).toBe(before)
    expect((await submit(OWN)).status).toBe(201)
  })

  it('is a 422 with the field in the API', async () => {
    expect(errorsOf(await send(OTHER))).toEqual([422, [{ field: 'crew_id', messages: [REFUSED] }]])
    expect((await send(OWN)).status).toBe(201)
  })

  it('is a 422 whatever the response to denials is', async () => {
    for (const forbiddenResponse of ['403', 'auto'] as const) {
      const other = await testApp({ database, resources, forbiddenResponse })
      const client = await other.signInAs(member.user.email)
      const answer = await client.post('/api/chores', { json: { ...json, crew_id: OTHER } })
      expect(errorsOf(answer)).toEqual([422, [{ field: 'crew_id', messages: [REFUSED] }]])
    }
  })

  it('names all fields if only their combination is denied', async () => {
    rule = (_ctx, draft) => draft.urgent !== true || draft.crew_id !== OTHER
    const { errors } = (await send(OTHER)).json() as { errors: { field: string }[] }
    expect(errors.map(({ field }) => field)).toEqual(['crew_id', 'title', 'urgent'])
  })

  it('shows the sentence of the denial', async () => {
    rule = (_ctx, { urgent }) => urgent !== true || deny('not_urgent', 'Nothing is urgent today.')
    const messages = ['Nothing is urgent today.']
    expect(errorsOf(await send(OWN))).toEqual([422, [{ field: 'urgent', messages }]])
  })

  it('gets the error of a missing record for a reference that the caller does not see', async () => {
    const answers = await Promise.all([HIDDEN, MISSING].map((id) => send(id)))
    expect(answers.map(errorsOf)).toEqual([
      [422, [{ field: 'crew_id', messages: ['This record does not exist.'] }]],
      [422, [{ field: 'crew_id', messages: ['This record does not exist.'] }]],
    ])
    const forms = await Promise.all([HIDDEN, MISSING].map((id) => submit(id)))
    expect(forms.map((form) => errorsOf(form)[1])).toEqual([
      { crew_id: ['This record does not exist.'] },
      { crew_id: ['This record does not exist.'] },
    ])
  })

  it('stores no idempotency key', async () => {
    const key = { 'Idempotency-Key': 'of an chore' }
    await leave()
    expect((await send(OWN, {}, key)).status).toBe(422)
    await join()
    expect((await send(OWN, {}, key)).status).toBe(201)
  })
})

describe('a draft that the policy denies whatever the caller chose', () => {
  it('is denied by the guard', async () => {
    rule = () => false
    expect([(await submit(OWN)).status, (await send(OWN)).status]).toEqual([404, 404])
    const json = { title: 'By a guest', crew_id: OWN }
    expect((await app.guest.post('/api/chores', { json })).status).toBe(401)
  })

  it('is denied if the caller may create no records any more', async () => {
    let mayCreate = true
    rule = () => mayCreate
    meanwhile = () => Promise.resolve((mayCreate = false))
    expect((await submit(OWN)).status).toBe(404)
  })

  it('is denied if the code chose the value, so that a hidden record looks like a missing one', async () => {
    const answers = await Promise.all(
      [OTHER, HIDDEN, MISSING].map((id) =>
        member.post(`/chores/of/${id}`, { json: { ...json, crew_id: OWN } }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect((await member.post(`/chores/of/${OWN}`, { json: { ...json, crew_id: OWN } })).status).toBe(200)
  })

  it('is denied if a hook adds the value', async () => {
    rule = (_ctx, { note, urgent }) => note !== 'hooked' && urgent !== true
    hook = () => ({ note: 'hooked' })
    expect((await send(OWN, { urgent: false })).status).toBe(404)
  })

  it.each<[what: string, broken: Rule]>([
    [
      'throws',
      () => {
        throw new Error('The rule broke.')
      },
    ],
    ['returns 1', () => 1],
  ])('is denied if the rule %s', async (_what, broken) => {
    rule = (ctx, draft) => draft.crew_id === undefined || broken(ctx, draft)
    expect((await send(OWN)).status).toBe(404)
  })
})

describe('a membership that ends between the decision and the write', () => {
  it('is a form with an error at the field', async () => {
    const before = await stored()
    let decisions = 0
    rule = async (ctx, draft) => {
      const answer = await ofMembers(ctx, draft)
      // The second decision is the last one before the transaction of the write.
      if (++decisions === 2) await leave()
      return answer
    }
    const answer = await submit(OWN)
    expect([answer.status, errorsOf(answer)[1]]).toEqual([422, { crew_id: [REFUSED] }])
    expect(await stored()).toBe(before)
  })

  it('rejects a draft of saveMany', async () => {
    meanwhile = leave
    const answer = await member.post('/chores/many', {
      json: { ...json, crew_id: OWN },
      headers: { accept: 'application/json' },
    })
    expect(errorsOf(answer)).toEqual([422, [{ field: 'crew_id', messages: [REFUSED] }]])
  })
})
