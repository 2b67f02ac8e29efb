import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  abilities,
  authorize,
  authorizeRecord,
  cursorRequest,
  field,
  formFor,
  formInput,
  type Handler,
  type IdOf,
  jsonBody,
  jsonInput,
  listQuery,
  load,
  policy,
  policyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
  storeForm,
} from 'pergola'
import { fieldRules } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

interface CasefileTable {
  id: Generated<string>
  title: string
  user_id: number
  grade: Generated<number>
  code: Generated<string>
  sealed: Generated<boolean>
  note: Generated<string | null>
  data: Generated<object>
  version: Generated<number>
  deleted_at: Generated<string | null>
}
interface BadgeTable {
  id: Generated<number>
  label: string
}

declare module 'pergola' {
  interface Tables {
    casefiles: CasefileTable
    badges: BadgeTable
  }
  interface Policies {
    Casefile: typeof casefilePolicy
  }
}

const Casefile = resource('Casefile', {
  table: 'casefiles',
  id: 'uuid',
  label: 'title',
  input: z.strictObject({
    title: field.string(),
    grade: field.integer().default(0),
    code: field
      .string()
      .default('none')
      .transform((code) => code.toUpperCase()),
    sealed: field.boolean().default(false),
    note: field.string().nullable().default(null),
    data: field.json().default({}),
  }),
  owner: 'user_id',
  version: true,
  softDelete: true,
  sort: ['title', 'grade'],
})

const casefilePolicy = policy(
  Casefile,
  {
    canShow: () => true,
    canCreate: () => true,
    canUpdate: () => true,
    canDelete: () => true,
    canRestore: () => true,
  },
  {
    fields: fieldRules(Casefile, {
      grade: {
        see: (ctx, row) => ctx.hasRole('admin') || ctx.owns(row.user_id),
        set: (ctx) => ctx.hasRole('admin'),
      },
      code: { set: (ctx) => ctx.hasRole('admin') },
      // Callers may set these two without seeing them.
      sealed: { see: (ctx) => ctx.hasRole('admin'), set: () => true },
      note: { see: (ctx) => ctx.hasRole('admin'), set: () => true },
      data: { see: (ctx) => ctx.hasRole('admin') },
    }),
  },
)

const casefiles = repository(Casefile, {
  api: '/api/casefiles',
  policy: casefilePolicy,
  scope: scope(Casefile, { where: (_ctx, is) => is.lit(true) }),
  order: 'title',
})

const Badge = resource('Badge', {
  table: 'badges',
  label: 'label',
  input: z.strictObject({ label: field.string() }),
})
const badges = repository(Badge, {
  policy: policy(
    Badge,
    { canShow: () => true },
    { fields: fieldRules(Badge, { label: { set: () => false } }) },
  ),
  scope: scope(Badge, { where: (_ctx, is) => is.lit(true) }),
})

type Id = IdOf<typeof Casefile>

const shown: Handler = async (req, res) => {
  const casefile = record(req, Casefile, 'show')
  const changes = await jsonInput(req, Casefile, casefile)
  res.json(await casefiles.update(await authorizeRecord(req, 'update', Casefile, casefile), changes))
}
const found: Handler = async (req, res) => {
  const casefile = await casefiles.asSystem('test').find(req.params['id'] as Id)
  if (casefile === null) throw new Error('The casefile is missing.')
  const changes = await jsonInput(req, Casefile, casefile)
  res.json(await casefiles.update(await authorizeRecord(req, 'update', Casefile, casefile), changes))
}
const update: Handler = async (req, res) => {
  const casefile = record(req, Casefile, 'update')
  const form = await storeForm(await formInput(req, Casefile, casefile), (input) =>
    casefiles.update(casefile, input),
  )
  res.status(form.valid ? 200 : form.status).json(form)
}
const trash: Handler = async (req, res) => {
  const all = casefiles.visibleTo(await policyContext(req)).withTrashed()
  const { content } = await all.cursorPage(cursorRequest(req), { query: listQuery(req, Casefile) })
  res.json([...(await all.findAll()), ...content])
}
const restore: Handler = async (req, res) =>
  void res.json(await casefiles.restore(record(req, Casefile, 'restore')))
const badgeBatches: Handler = async (req, res) => {
  const rows = await badges
    .visibleTo(await policyContext(req))
    .findInBatches(10)
    .nextBatch()
  const may = await abilities(req, Badge, rows ?? [], ['show'])
  res.json(rows?.map((row) => may(row, 'show')))
}

const casefileRoutes = routes('/casefiles', {
  'GET /trash': [secured(), trash],
  'GET /badges': [secured(), badgeBatches],
  'GET /:id/edit': [
    secured(),
    load(Casefile),
    authorize('update', Casefile),
    (req, res) => void res.json(formFor(Casefile, record(req, Casefile, 'update'))),
  ],
  'PUT /:id': [secured(), load(Casefile), authorize('update', Casefile), update],
  'PUT /:id/shown': [secured(), load(Casefile), authorize('show', Casefile), jsonBody(), shown],
  'PUT /:id/found': [secured(), jsonBody(), found],
  'POST /:id/restore': [
    secured(),
    load(Casefile, { withTrashed: true }),
    authorize('restore', Casefile),
    restore,
  ],
})

const testDb = await testDatabase()
const app = await testApp({
  database: testDb,
  resources: [
    { repository: casefiles, routes: { casefileRoutes } },
    { repository: badges },
    { repository: users },
  ],
})
const admin = await app.newcomer({ roles: ['admin'] })
const owner = await app.newcomer()
const stranger = await app.newcomer()

beforeAll(async () => {
  await sql`create table casefiles (id uuid primary key default gen_random_uuid(), title text not null,
    user_id bigint not null, grade integer not null default 0, code text not null default 'x',
    sealed boolean not null default false, note text, data jsonb not null default '{}',
    version bigint not null default 1, deleted_at timestamptz)`.execute(testDb.db)
  await sql`create table badges (id bigint generated always as identity primary key, label text not null)`.execute(
    testDb.db,
  )
})
beforeEach(() => sql`truncate casefiles`.execute(testDb.db))

const make = () =>
  app.within(() =>
    casefiles.asSystem('test').insert({
      title: 'A',
      user_id: owner.user.id,
      grade: 5,
      code: 'X',
      sealed: true,
      note: 'secret',
      data: { b: 1, a: [2] },
    }),
  )
const stored = (id: Id) => app.within(() => casefiles.asSystem('test').find(id))

describe('an unseen field', () => {
  it.each(['shown', 'found'])('can’t be guessed by a PUT to a row that was %s', async (path) => {
    const { id } = await make()
    const guess = (grade: number) => stranger.put(`/casefiles/${id}/${path}`, { json: { grade } })
    const [right, wrong] = [await guess(5), await guess(6)]
    expect([right.status, wrong.status]).toEqual([422, 422])
  })

  it('is left out of a form, which keeps its value', async () => {
    const { id } = await make()
    const { omitted } = (await stranger.get(`/casefiles/${id}/edit`)).json() as { omitted: string[] }
    expect(omitted).toEqual(['grade', 'code', 'data', 'sealed', 'note'])
    const sent = await stranger.put(`/casefiles/${id}`, { form: { title: 'B', _version: '1' } })
    expect([sent.status, await stored(id)]).toMatchObject([200, { title: 'B', sealed: true, note: 'secret' }])
  })

  it('can be set by callers whom the rule allows', async () => {
    const { id } = await make()
    const form = { title: 'B', sealed: 'false', note: 'New', _version: '1' }
    const sent = await stranger.put(`/casefiles/${id}`, { form })
    expect([sent.status, await stored(id)]).toMatchObject([200, { sealed: false, note: 'New' }])
    expect(sent.text).not.toContain('"note"')
  })

  it.each(['', '?sort=grade', '?sort=-grade,title&size=1'])('is absent from the trash%s', async (query) => {
    const { id } = await make()
    await stranger.delete(`/api/casefiles/${id}`, { headers: { 'If-Match': '*' } })
    const rows = (await stranger.get(`/casefiles/trash${query}`)).json() as object[]
    const restored = (await stranger.post(`/casefiles/${id}/restore`)).json() as object
    const seen = 'id,title,code,user_id,deleted_at,version'
    expect([...rows, restored].map((row) => Object.keys(row).join(','))).toEqual([seen, seen, seen])
  })
})

describe('a field that the caller may not set', () => {
  it('may be part of a PUT of the whole record', async () => {
    const { id } = await make()
    for (const caller of [admin, owner, stranger]) {
      const { text, json } = await caller.get(`/api/casefiles/${id}`)
      const headers = { 'If-Match': '*' }
      const answer = await caller.put(`/api/casefiles/${id}`, { json: json() as object, headers })
      expect([answer.status, answer.text]).toEqual([200, text])
    }
  })

  it('gets the default that its schema transforms', async () => {
    const answer = await stranger.post('/api/casefiles', { json: { title: 'B' } })
    expect([answer.status, answer.json()]).toMatchObject([201, { code: 'NONE' }])
  })

  it('doesn’t prevent decisions about the rows of a batch', async () => {
    await app.within(() => badges.asSystem('test').insert({ label: 'A' }))
    expect((await stranger.get('/casefiles/badges')).json()).toEqual([true])
  })
})
