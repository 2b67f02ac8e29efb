import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  cursorRequest,
  field,
  filter,
  inTransaction,
  load,
  policy,
  policyContext,
  record,
  referenceChoices,
  repository,
  resource,
  routes,
  scope,
  scoped,
  secured,
  withDatabase,
} from 'pergola'
import { history, type JoinedIds, joinTable } from 'pergola/features'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    stickers: { id: Generated<number>; name: string; secret: Generated<boolean>; listed: Generated<boolean> }
    hampers: {
      id: Generated<number>
      title: string
      owner_id: number
      sticker_ids: JoinedIds
      twin_ids: JoinedIds
      version: Generated<number>
    }
    hamper_stickers: { hamper_id: number; sticker_id: number }
    hamper_twins: { hamper_id: number; twin_id: number }
  }
}

const Sticker = resource('Sticker', {
  table: 'stickers',
  label: 'name',
  input: z.strictObject({
    name: field.string(),
    secret: field.boolean().default(false),
    listed: field.boolean().default(true),
  }),
})
const maySee = (ctx: { hasRole(role: string): boolean }, sticker: { secret: boolean }) =>
  !sticker.secret || ctx.hasRole('admin')
const stickers = repository(Sticker, {
  policy: policy(Sticker, {
    canShow: maySee,
    canCreate: (ctx) => ctx.hasRole('admin'),
    canUpdate: (ctx) => ctx.hasRole('admin'),
    canDelete: (ctx) => ctx.hasRole('admin'),
  }),
  scope: scope(Sticker, {
    where: (ctx, is) =>
      ctx.hasRole('admin') ? is.lit(true) : is.and([is('secret', '=', false), is('listed', '=', true)]),
  }),
})

const Hamper = resource('Hamper', {
  table: 'hampers',
  label: 'title',
  input: z.strictObject({
    title: field.string(),
    sticker_ids: field.references().default([]),
    twin_ids: field.references().default([]),
  }),
  owner: 'owner_id',
  references: { sticker_ids: Sticker, twin_ids: 'self' },
  joins: {
    sticker_ids: joinTable('hamper_stickers', { own: 'hamper_id', other: 'sticker_id' }),
    twin_ids: joinTable('hamper_twins', { own: 'hamper_id', other: 'twin_id' }),
  },
  filters: { sticker_ids: filter.several(field.reference()), twin_ids: filter.all(field.reference()) },
  version: true,
})
const hamperPolicy = policy(Hamper, {
  canShow: (ctx, hamper) => ctx.owns(hamper.owner_id) || ctx.hasRole('admin'),
  canCreate: (ctx) => ctx.userId !== null,
  canUpdate: (ctx, hamper) => ctx.owns(hamper.owner_id) || ctx.hasRole('admin'),
  canDelete: (ctx, hamper) => ctx.owns(hamper.owner_id) && hamper.sticker_ids.length === 0,
})
const hamperScope = scope(Hamper, {
  where: (ctx, is) => (ctx.hasRole('admin') ? is.lit(true) : is('owner_id', '=', ctx.userId)),
})
const hampers = repository(Hamper, {
  api: '/api/hampers',
  policy: hamperPolicy,
  scope: hamperScope,
  features: [history],
})

const hamperRoutes = routes('/hampers', {
  'PUT /:id': [
    secured(),
    load(Hamper),
    authorize('update', Hamper),
    async (req, res) => {
      const form = await hampers.updateFrom(req, record(req, Hamper, 'update'))
      res.json(form.valid ? form.stored : { ...form, choices: await referenceChoices(req, Hamper, form) })
    },
  ],
  'GET /:id/edit': [
    secured(),
    load(Hamper),
    authorize('update', Hamper),
    async (req, res) => {
      const form = hampers.formFor(record(req, Hamper, 'update'))
      res.json({ form, choices: await referenceChoices(req, Hamper, form) })
    },
  ],
  'POST /:id/append': [
    secured(),
    load(Hamper),
    authorize('update', Hamper),
    async (req, res) => {
      const hamper = record(req, Hamper, 'update')
      await onceBefore?.(hamper.id)
      const sticker_ids = [...hamper.sticker_ids, blue]
      res.json(await hampers.update(hamper, { sticker_ids }, { set: ['sticker_ids'] }))
    },
  ],
  'DELETE /:id/listed': [
    secured(),
    load(Hamper),
    authorize('show', Hamper),
    async (req, res) => {
      const rows = await hampers.visibleTo(await policyContext(req)).findAll()
      const listed = rows.find(({ id }) => id === record(req, Hamper, 'show').id)
      if (listed) await hampers.delete(await authorizeRecord(req, 'delete', Hamper, listed))
      res.json(listed)
    },
  ],
  'GET /:id/reads': [
    secured(),
    load(Hamper),
    authorize('show', Hamper),
    async (req, res) => {
      const [ctx, hamper] = [await policyContext(req), record(req, Hamper, 'show')]
      const lists = hampers.visibleTo(ctx)
      const { content } = await hampers.history(hamper, cursorRequest(req))
      res.json({
        shown: hamper.sticker_ids,
        listed: (await lists.findAll()).map(({ sticker_ids }) => sticker_ids),
        batched: (await Array.fromAsync(lists.findEach(10))).map(({ sticker_ids }) => sticker_ids),
        scoped: (await scoped(Hamper, ctx).selectAll().execute()).map(({ sticker_ids }) => sticker_ids),
        changes: content.flatMap(({ changes }) => changes.filter(({ field }) => field === 'sticker_ids')),
        entries: content.map(({ action }) => action),
      })
    },
  ],
})

let onceBefore: ((id: number) => Promise<unknown>) | undefined

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [
    { repository: hampers, routes: { hamperRoutes } },
    { repository: stickers },
    { repository: users },
  ],
})
const admin = await app.newcomer({ roles: ['admin'] })
let owner = await app.newcomer()
const within = <Result>(work: () => Promise<Result>) => withDatabase(database.db, work)
const system = hampers.asSystem('a test')
let red: number, blue: number, secret: number

beforeAll(async () => {
  await sql`create table stickers (id bigint generated always as identity primary key, name text not null,
    secret boolean not null default false, listed boolean not null default true)`.execute(database.db)
  await sql`create table hampers (id bigint generated always as identity primary key, title text not null,
    owner_id bigint not null references users, version integer not null default 1)`.execute(database.db)
  await sql`create table hamper_stickers (hamper_id bigint not null references hampers on delete cascade,
    sticker_id bigint not null references stickers on delete cascade, primary key (hamper_id, sticker_id))`.execute(
    database.db,
  )
  await sql`create table hamper_twins (hamper_id bigint not null references hampers on delete cascade,
    twin_id bigint not null references hampers on delete cascade, primary key (hamper_id, twin_id))`.execute(
    database.db,
  )
  const made = await within(() =>
    stickers
      .asSystem('a test')
      .saveMany([{ name: 'Red' }, { name: 'Blue' }, { name: 'Secret', secret: true }]),
  )
  ;[red = 0, blue = 0, secret = 0] = made
})

/** Makes a hamper of a new owner. */
async function make(sticker_ids: readonly number[] = []) {
  owner = await app.newcomer()
  return within(() => system.insert({ title: 'A', owner_id: owner.user.id, sticker_ids }))
}
const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
const stored = async (id: number) => (await within(() => system.find(id)))?.sticker_ids
const put = (id: number, json: object, client = owner) =>
  client.put(`/api/hampers/${id}`, { json, headers: { 'if-match': '*' } })
const reads = async (id: number, client = owner) =>
  (await client.get(`/hampers/${id}/reads`)).json() as Record<string, unknown[]>

/** Runs `write` while another transaction changes the list to `[blue]`. That transaction commits when `write` waits for it. */
async function afterWait<Result>(id: number, write: () => Promise<Result>): Promise<Result> {
  const waiting = lockWait(database.db)
  const { promise: isWritten, resolve: written } = Promise.withResolvers<void>()
  const other = within(() =>
    inTransaction(async () => {
      await system.update(id, { sticker_ids: [blue] })
      written()
      await waiting
    }),
  )
  await isWritten
  const [result] = await Promise.all([within(write), other])
  return result
}

describe('joinTable', () => {
  it('stores a list of ids with the record: each once, in ascending order', async () => {
    const hamper = await make([blue, red, blue])
    expect(hamper.sticker_ids).toEqual([red, blue])
    expect(await within(() => system.find(hamper.id))).toEqual(hamper)
    const [other = 0] = await within(() =>
      system.saveMany([
        { title: 'B', owner_id: owner.user.id, twin_ids: [hamper.id] },
        { title: 'C', owner_id: owner.user.id },
      ]),
    )
    expect((await within(() => system.find(other)))?.twin_ids).toEqual([hamper.id])
  })

  it('writes the list in JSON as a change of the record', async () => {
    const { id } = await make([red])
    const created = await owner.post('/api/hampers', { json: { title: 'B', sticker_ids: [blue, red] } })
    expect(created.json()).toMatchObject({ sticker_ids: [red, blue], twin_ids: [] })
    const updated = await put(id, { sticker_ids: [blue] })
    expect(updated.json()).toMatchObject({ id, title: 'A', sticker_ids: [blue], version: 2 })
    expect((await put(id, { sticker_ids: [blue] })).json()).toMatchObject({ version: 2 })
    expect((await put(id, { title: 'C' })).json()).toMatchObject({ sticker_ids: [blue], version: 3 })
    expect((await put(id, { sticker_ids: [] })).json()).toMatchObject({ sticker_ids: [], version: 4 })
    expect((await owner.get(`/api/hampers/${id}`)).json()).toMatchObject({ sticker_ids: [], version: 4 })
  })

  it('writes the list of a form, which is empty without a checked box', async () => {
    const { id } = await make([red])
    const send = async (fields: string) => {
      const version = (await within(() => system.find(id)))?.version
      return owner.post(`/hampers/${id}`, {
        body: `_method=PUT&_version=${version}&title=A&${fields}`,
        ...FORM,
      })
    }
    expect((await send(`sticker_ids=${blue}&sticker_ids=${red}`)).json()).toMatchObject({
      sticker_ids: [red, blue],
    })
    expect((await send(`sticker_ids=${blue}`)).json()).toMatchObject({ sticker_ids: [blue] })
    expect((await send('')).json()).toMatchObject({ sticker_ids: [] })
  })

  it.each([
    [{ sticker_ids: [0] }, 'This record does not exist.'],
    [{ sticker_ids: [999_999] }, 'This record does not exist.'],
    [{ sticker_ids: 'red' }, 'Send a list of ids.'],
    [{ sticker_ids: null }, 'Send a list of ids.'],
    [{ sticker_ids: Array.from({ length: 102 }, (_, index) => index + 1) }, 'Add 100 or fewer at once.'],
  ])('rejects %j', async (json, message) => {
    const { id } = await make([red])
    const answer = await put(id, json)
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(message)])
    expect(await stored(id)).toEqual([red])
  })

  it('rolls the record back if the list can’t be stored', async () => {
    const { id } = await make([red])
    await expect(within(() => system.update(id, { title: 'B', sticker_ids: [999_999] }))).rejects.toThrow(
      /foreign key/,
    )
    expect(await within(() => system.find(id))).toMatchObject({ title: 'A', sticker_ids: [red], version: 1 })
  })

  it('keeps the list complete if two callers write it at once', async () => {
    const { id } = await make()
    const answers = await Promise.all(
      [[red], [blue], [red, blue]].map((sticker_ids) => put(id, { sticker_ids })),
    )
    const last = answers
      .filter(({ status }) => status === 200)
      .map((answer) => answer.json() as { version: number; sticker_ids: number[] })
    const newest = last.toSorted((one, other) => one.version - other.version).at(-1)
    expect(await stored(id)).toEqual(newest?.sticker_ids)
  })

  it('filters lists by one of several ids, or by all of them', async () => {
    const [{ id: one }, two] = [await make([red]), () => ({ title: 'B', owner_id: owner.user.id })]
    const { id: other } = await within(() =>
      system.insert({ ...two(), sticker_ids: [blue], twin_ids: [one] }),
    )
    await within(() => system.insert({ ...two(), twin_ids: [one, other] }))
    const found = async (query: string) => {
      const answer = await owner.get(`/api/hampers?${query}`)
      return (answer.json() as { total_elements: number }).total_elements
    }
    expect(await found(`sticker_ids=${red}`)).toBe(1)
    expect(await found(`sticker_ids=${red}&sticker_ids=${blue}`)).toBe(2)
    expect(await found(`twin_ids=${one}`)).toBe(2)
    expect(await found(`twin_ids=${one}&twin_ids=${other}`)).toBe(1)
    expect(await found(`twin_ids=${one}&sticker_ids=${blue}`)).toBe(1)
  })

  it('returns the list of the version that it writes, after a wait for another write', async () => {
    const { id } = await make([red])
    const second = await afterWait(id, () => system.update(id, { title: 'B' }))
    expect(second).toMatchObject({ version: 3, sticker_ids: [blue] })
    const { content } = await within(() => system.history(id))
    expect(content.map(({ changes }) => changes.map(({ field }) => field))).toEqual([
      ['title'],
      ['sticker_ids'],
      expect.any(Array),
    ])
  })

  it('returns that list after a wait, also in a repository without a history', async () => {
    const { id } = await make([red])
    const plain = repository(Hamper, {}).asSystem('a test')
    const updated = await afterWait(id, () => plain.update(id, { title: 'B' }))
    expect(updated).toMatchObject({ version: 3, sticker_ids: [blue] })
  })

  it('passes the current list to hooks, after a wait for another write', async () => {
    const { id } = await make([red])
    const beforeUpdate = vi.fn<(row: object) => void>()
    const hooked = repository(Hamper, { hooks: { beforeUpdate } }).asSystem('a test')
    await afterWait(id, () => hooked.update(id, { title: 'B' }))
    expect(beforeUpdate.mock.lastCall?.[0]).toMatchObject({ version: 2, sticker_ids: [blue] })
  })

  it('is not written by ranges and upserts', async () => {
    const { id } = await make()
    const range = async () => {
      for await (const rows of system.inBatches(10)) await rows.update({ sticker_ids: [red] })
    }
    await expect(within(range)).rejects.toThrow('Hamper.sticker_ids is in a join table.')
    await expect(
      within(() =>
        system.upsertMany([{ id, sticker_ids: [red] }] as never, { columns: ['sticker_ids'] as never }),
      ),
    ).rejects.toThrow("Hamper.sticker_ids can't be written by upsertMany.")
  })

  it('loses an id with its record', async () => {
    const [id = 0] = await within(() => stickers.asSystem('a test').saveMany([{ name: 'Gone' }]))
    const hamper = await make([red, id])
    await within(() => stickers.asSystem('a test').delete(id))
    expect(await stored(hamper.id)).toEqual([red])
  })
})

describe('ids of records that the caller does not see', () => {
  it('are in no row, list, batch, query, history, form or choice', async () => {
    const { id } = await make([red, secret])
    await within(() => system.update(id, { sticker_ids: [secret, blue] }))
    const before = await within(() => stickers.asSystem('a test').saveMany([{ name: 'Other', secret: true }]))
    await within(() => system.update(id, { sticker_ids: [secret, blue, ...before] }))
    await within(() => system.update(id, { sticker_ids: [secret, blue] }))
    expect((await reads(id, admin))['entries']).toEqual(['update', 'update', 'update', 'create'])
    expect(await reads(id)).toEqual({
      entries: ['update', 'create'],
      shown: [blue],
      listed: [[blue]],
      batched: [[blue]],
      scoped: [[blue]],
      changes: [
        { field: 'sticker_ids', from: [red], to: [blue] },
        { field: 'sticker_ids', from: [], to: [red] },
      ],
    })
    expect(await reads(id, admin)).toMatchObject({ shown: [blue, secret] })
    const { form, choices } = (await owner.get(`/hampers/${id}/edit`)).json() as {
      form: { values: { sticker_ids: number[] } }
      choices: { sticker_ids: { options: { text: string; selected: boolean }[]; multiple: boolean } }
    }
    expect(form.values.sticker_ids).toEqual([blue])
    expect(choices.sticker_ids.multiple).toBe(true)
    expect(choices.sticker_ids.options.map(({ text, selected }) => `${text} ${selected}`)).toEqual([
      'Blue true',
      ...(choices.sticker_ids.options.some(({ text }) => text === 'Gone') ? ['Gone false'] : []),
      'Red false',
    ])
  })

  it('are in no response of the API', async () => {
    const { id } = await make([red, secret])
    const [shown, listed, updated] = [
      await owner.get(`/api/hampers/${id}`),
      await owner.get('/api/hampers'),
      await put(id, { title: 'B' }),
    ]
    for (const answer of [shown, updated]) expect(answer.json()).toMatchObject({ sticker_ids: [red] })
    expect(listed.json()).toMatchObject({ content: [{ sticker_ids: [red] }] })
  })

  it('stay when the caller writes the list', async () => {
    const { id } = await make([red, secret])
    expect((await put(id, { sticker_ids: [blue] })).json()).toMatchObject({ sticker_ids: [blue] })
    expect(await stored(id)).toEqual([blue, secret])
    const sent = await owner.post(`/hampers/${id}`, { body: '_method=PUT&_version=2&title=A', ...FORM })
    expect(sent.json()).toMatchObject({ sticker_ids: [] })
    expect(await stored(id)).toEqual([secret])
    expect((await put(id, { sticker_ids: [] }, admin)).status).toBe(200)
    expect(await stored(id)).toEqual([])
  })

  it('stay when code writes the list, also if another user added one meanwhile', async () => {
    const { id } = await make([red, secret])
    const append = () => owner.post(`/hampers/${id}/append`)
    expect((await append()).json()).toMatchObject({ sticker_ids: [red, blue] })
    expect(await stored(id)).toEqual([red, blue, secret])
    await within(() => system.update(id, { sticker_ids: [red] }))
    onceBefore = () => within(() => system.update(id, { sticker_ids: [red, secret] }))
    expect((await append()).json()).toMatchObject({ sticker_ids: [red, blue] })
    onceBefore = undefined
    expect(await stored(id)).toEqual([red, blue, secret])
  })

  it('are in the rows that rules get, also for a row of a list', async () => {
    const { id } = await make([secret])
    expect((await owner.delete(`/hampers/${id}/listed`)).status).toBe(404)
    await within(() => system.update(id, { sticker_ids: [] }))
    expect((await owner.delete(`/hampers/${id}/listed`)).json()).toMatchObject({ id, sticker_ids: [] })
  })

  it('don’t refuse other changes, however many they are', async () => {
    const names = Array.from({ length: 120 }, (_, index) => ({ name: `S${index}`, secret: true }))
    const many = await within(() => stickers.asSystem('a test').saveMany(names))
    const { id } = await make([red, ...many])
    expect((await put(id, { title: 'B' })).json()).toMatchObject({ title: 'B', sticker_ids: [red] })
    expect(await stored(id)).toEqual([red, ...many])
  })

  it('leave the answer as soon as they are unseen', async () => {
    const [sticker = 0] = await within(() => stickers.asSystem('a test').saveMany([{ name: 'Fading' }]))
    const { id } = await make([red, sticker])
    const etag = (await owner.get(`/api/hampers/${id}`)).headers.get('etag') ?? ''
    await within(() => stickers.asSystem('a test').update(sticker, { secret: true }))
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
    const answer = await owner.get(`/api/hampers/${id}`, { headers })
    expect([answer.status, answer.json()]).toMatchObject([200, { sticker_ids: [red] }])
  })

  it('have the same error as ids of no record, whether the record has them or not', async () => {
    const [with_, without] = [await make([secret]), await make()]
    const owned = await app.newcomer()
    await within(() => system.update(with_.id, { owner_id: owned.user.id }))
    const answers = [
      await put(with_.id, { sticker_ids: [secret] }, owned),
      await put(without.id, { sticker_ids: [secret] }),
      await put(without.id, { sticker_ids: [999_999] }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
    const bodies = answers.map((answer) => (answer.json() as { errors: unknown }).errors)
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
  })

  it('are refused if the policy shows the record, but the scope leaves it out', async () => {
    const [unlisted = 0] = await within(() =>
      stickers.asSystem('a test').saveMany([{ name: 'Unlisted', listed: false }]),
    )
    const { id } = await make([red])
    const answer = await put(id, { sticker_ids: [red, unlisted] })
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining('This record does not exist.'),
    ])
    expect(await stored(id)).toEqual([red])
    expect((await put(id, { sticker_ids: [red, unlisted] }, admin)).status).toBe(200)
  })

  it('find nothing as a filter', async () => {
    await make([red, secret])
    const found = async (client: typeof owner) =>
      ((await client.get(`/api/hampers?sticker_ids=${secret}`)).json() as { content: unknown[] }).content
        .length
    expect(await found(owner)).toBe(0)
    expect(await found(admin)).toBeGreaterThan(0)
  })
})
