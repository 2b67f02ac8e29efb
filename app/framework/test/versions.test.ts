import type { Generated } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  formFor,
  formInput,
  type Handler,
  inTransaction,
  load,
  policy,
  record,
  repository,
  resource,
  routes,
  secured,
  storeForm,
} from 'pergola'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { testApp } from './fixtures/test-app.ts'
import { hasRowVersions } from '../src/database/capabilities.ts'
import { lockWait } from '../testing/lock-wait.ts'
import { type Answer, comparable, type TestClient, testDatabase } from 'pergola/testing'
import { makeUser, users } from './fixtures/user.ts'

interface TwigTable {
  id: Generated<number>
  version: number
}

declare module 'pergola' {
  interface Tables {
    twigs: TwigTable
  }
}

const leaves = repository(Leaf, {
  api: '/api/leaves',
  policy: leafPolicy,
  scope: leafScope,
})

/** Updates as a controller does, but responds with the form as JSON. */
const update: Handler = async (req, res) => {
  const leaf = record(req, Leaf, 'update')
  const form = await storeForm(await formInput(req, Leaf, leaf), (input) => leaves.update(leaf, input))
  if (form.valid) res.json(form.stored)
  else res.status(form.status).json(form)
}
const leafRoutes = routes('/leaves', {
  'GET /:id': [
    secured(),
    load(Leaf),
    authorize('update', Leaf),
    (req, res) => void res.json(formFor(Leaf, record(req, Leaf, 'update'))),
  ],
  'PUT /:id': [secured(), load(Leaf), authorize('update', Leaf), update],
  'POST /:id/water': [
    secured(),
    load(Leaf),
    authorize('update', Leaf),
    async (req, res) =>
      void res.json(await leaves.update(record(req, Leaf, 'update'), { note: 'watered' }, { set: ['note'] })),
  ],
  'POST /:id/restore': [
    secured(),
    load(Leaf, { withTrashed: true }),
    authorize('restore', Leaf),
    async (req, res) => void res.json(await leaves.restore(record(req, Leaf, 'restore'))),
  ],
})

const resources = [{ repository: leaves, routes: { leafRoutes } }, { repository: users }]
const database = await testDatabase()
const app = await testApp({ database, resources })
const [owner, stranger] = await app.within(() => Promise.all([makeUser(), makeUser()]))
const [client, strange] = await Promise.all([app.signInAs(owner.email), app.signInAs(stranger.email)])
const all = leaves.asSystem('test')

beforeAll(() => createLeaves(app.db))

const make = () => app.within(() => all.insert({ owner_id: owner.id, title: 'Old' }))
const stored = (id: number) => app.within(() => leaves.asSystem('test').find(id))
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

describe('a write of a row with a version', () => {
  it('increases the version for every caller, and sets updated_at', async () => {
    const leaf = await make()
    const twice = await app.within(() =>
      inTransaction(async () => {
        await all.update(leaf.id, { title: 'A' })
        return all.update(leaf.id, { title: 'B' })
      }),
    )
    expect([leaf.version, twice?.version]).toEqual([1, 3])
    expect(twice?.updated_at.localeCompare(leaf.updated_at)).toBe(1)
    await client.post(`/leaves/${leaf.id}/water`)
    expect(await stored(leaf.id)).toMatchObject({ version: 4, note: 'watered' })
  })

  it('keeps the version if no value changes', async () => {
    const leaf = await make()
    const answer = await client.put(`/api/leaves/${leaf.id}`, { json: leaf, headers: { 'if-match': '"1"' } })
    expect([answer.status, answer.headers.get('etag'), answer.json()]).toEqual([200, '"1"', leaf])
  })

  it('decides again and writes the newer row if the request has no version', async () => {
    const { id } = await make()
    let decisions = 0
    const meddling = policy(Leaf, {
      ...leafPolicy.rules,
      canUpdate: async () => {
        if (++decisions === 1) await all.update(id, { title: 'Meanwhile' })
        return true
      },
    })
    const raced = await testApp({ database, resources, policies: [[Leaf, meddling]] })
    const answer = await (await raced.signInAs(owner.email)).post(`/leaves/${id}/water`)
    // By the route, in the transaction of the write, on the newer row, and twice on the updated row.
    expect([answer.status, decisions]).toEqual([200, 5])
    expect(await stored(id)).toMatchObject({ title: 'Meanwhile', note: 'watered', version: 3 })
  })
})

describe('the API of a resource with versions', () => {
  it('returns the version as an ETag, which the next write sends as If-Match', async () => {
    const created = await client.post('/api/leaves', { json: { title: 'New' } })
    const path = created.headers.get('location') ?? ''
    expect(created.headers.get('etag')).toBe('"1"')
    const shown = await client.get(path)
    expect(shown.headers.get('etag')).toBe('"1"')
    const changed = await client.put(path, {
      json: { ...(shown.json() as object), title: 'Changed' },
      headers: { 'if-match': '"1"' },
    })
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"'])
    const gone = await client.delete(path, { headers: { 'if-match': '"2"' } })
    expect(gone.status).toBe(204)
  })

  it('returns 304 for the current version, after the decision', async () => {
    const path = `/api/leaves/${(await make()).id}`
    // Without this Cache-Control, fetch sends no-cache, which prevents a 304.
    const headers = { 'if-none-match': '"1"', 'cache-control': 'max-age=0' }
    expect(statuses([await client.get(path, { headers }), await strange.get(path, { headers })])).toEqual([
      304, 404,
    ])
  })

  it('returns 428 for a write without a version, before it reads the body', async () => {
    const { id } = await make()
    const [put, remove] = [
      await client.put(`/api/leaves/${id}`, { body: '{' }),
      await client.delete(`/api/leaves/${id}`),
    ]
    expect(statuses([put, remove])).toEqual([428, 428])
    expect(put.headers.get('content-type')).toContain('application/problem+json')
    expect(put.json()).toMatchObject({ code: 'precondition_required' })
  })

  /** The statuses of a delete after the update. Only `*` is still valid. */
  const DELETED = new Map([['*', 204]])
  it.each([
    ['"1"', 200],
    ['*', 200],
    ['"7", "1"', 200],
    ['"a,b" ,"1"', 200],
    ['"2"', 412],
    ['W/"1"', 412],
    ['W/"1", "2"', 412],
    ['1', 412],
    ['', 412],
    ['"1', 412],
    ['"1" "2"', 412],
    ['"1"; drop', 412],
    ['"1",*', 412],
    ['"01"', 412],
    ['"1e0"', 412],
    [`"${'9'.repeat(40)}"`, 412],
    [','.repeat(2_000), 412],
    ['""', 412],
  ])('responds to If-Match: %s with %i', async (header, status) => {
    const { id } = await make()
    const path = `/api/leaves/${id}`
    const headers = { 'if-match': header }
    const put = await client.put(path, { json: { title: 'New' }, headers })
    expect(put.status).toBe(status)
    expect((await stored(id))?.title).toBe(status === 200 ? 'New' : 'Old')
    expect((await client.delete(path, { headers })).status).toBe(DELETED.get(header) ?? 412)
  })

  /** Values of If-Match: missing, valid and invalid ones. */
  const STATED = [
    undefined,
    '"1"',
    '"9"',
    '*',
    'W/"1"',
    '"7", "1"',
    '',
    '1',
    '"1',
    '"1e0"',
    ','.repeat(2_000),
  ]
  it.each([
    ['404', false, 404],
    ['403', false, 403],
    ['auto', false, 404],
    ['auto', true, 403],
  ] as const)(
    'sends a denied caller the same response for every header: %s, canShow: %s → %i',
    async (forbiddenResponse, mayShow, status) => {
      const rules = { ...leafPolicy.rules, ...(mayShow && { canShow: () => true }) }
      const policies = [[Leaf, policy(Leaf, rules)]] as const
      const strict = await testApp({ database, resources, forbiddenResponse, policies })
      const by = await strict.signInAs(stranger.email)
      const { id } = await make()
      const answersOf = async (path: string) => {
        const answers: string[] = []
        for (const stated of STATED) {
          const headers: Record<string, string> = stated === undefined ? {} : { 'if-match': stated }
          const sent = [
            await by.put(path, { json: { title: 'Stolen' }, headers }),
            await by.put(path, { body: '{', headers }),
            await by.delete(path, { headers }),
          ]
          for (const answer of sent) answers.push(JSON.stringify(Object.values(comparable(answer))))
        }
        return [...new Set(answers)]
      }
      const [denied, missing] = [await answersOf(`/api/leaves/${id}`), await answersOf('/api/leaves/999999')]
      expect([denied.length, missing.length]).toEqual([1, 1])
      expect([denied[0]?.startsWith(`[${status},`), missing[0]?.startsWith('[404,')]).toEqual([true, true])
      expect(denied[0] === missing[0]).toBe(status === 404)
    },
  )

  it('rejects another version in the body, and accepts the stored version', async () => {
    const { id } = await make()
    const put = (json: object) => client.put(`/api/leaves/${id}`, { json, headers: { 'if-match': '*' } })
    expect((await put({ version: 7 })).json()).toMatchObject({ errors: [{ field: 'version' }] })
    expect((await put({ updated_at: '2020-01-01T00:00:00Z' })).json()).toMatchObject({
      errors: [{ field: 'updated_at' }],
    })
    expect((await put({ version: 1, title: 'New' })).status).toBe(200)
  })

  it('returns 412 if the row changes after the check, and 404 if its owner changes', async () => {
    const meddling = (changes: object) => {
      let decisions = 0
      return policy(Leaf, {
        ...leafPolicy.rules,
        canUpdate: async (ctx, leaf) => {
          if (++decisions === 1) await all.update(leaf.id, changes)
          return ctx.owns(leaf.owner_id)
        },
      })
    }
    for (const [changes, status] of [
      [{ note: 'Meanwhile' }, 412],
      [{ owner_id: stranger.id }, 404],
    ] as const) {
      const { id } = await make()
      const raced = await testApp({ database, resources, policies: [[Leaf, meddling(changes)]] })
      const headers = { 'if-match': '"1"' }
      const put = await (
        await raced.signInAs(owner.email)
      ).put(`/api/leaves/${id}`, { json: { title: 'N' }, headers })
      expect(put.status).toBe(status)
      expect(await stored(id)).toMatchObject({ title: 'Old', version: 2 })
    }
  })
})

describe.skipIf(!hasRowVersions(database.db))('a row whose version stays the same', () => {
  const STATED = { 'if-match': '"1"' }
  const WRITES: Record<string, (path: string) => Promise<Answer>> = {
    'an update': (path) => client.post(`${path}/water`),
    'an update with If-Match': (path) =>
      client.put(`/api${path}`, { json: { title: 'New' }, headers: STATED }),
    'an update with a form': (path) => client.put(path, { form: { title: 'New', _version: '1' } }),
    'a deletion': (path) => client.delete(`/api${path}`, { headers: { 'if-match': '*' } }),
    'a deletion with If-Match': (path) => client.delete(`/api${path}`, { headers: STATED }),
    'a restore': (path) => client.post(`${path}/restore`),
  }

  /** Sends a write that waits for a transaction, which changes the row without its version. */
  async function writeMeanwhile(write: string, change: object) {
    const { id } = await make()
    if (write === 'a restore') await app.within(() => all.delete(id))
    const rowNow = () =>
      app.db.selectFrom('leaves').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const before = await rowNow()
    const transaction = await app.db.startTransaction().execute()
    await transaction.updateTable('leaves').set(change).where('id', '=', id).execute()
    const answer = WRITES[write]?.(`/leaves/${id}`)
    await lockWait(app.db)
    await transaction.commit().execute()
    return { status: (await answer)?.status, before, after: await rowNow() }
  }

  it.each(Object.keys(WRITES))('is not written if its owner changes meanwhile: %s', async (write) => {
    const { status, before, after } = await writeMeanwhile(write, { owner_id: stranger.id })
    expect(status).toBe(404)
    expect(after).toEqual({ ...before, owner_id: stranger.id })
  })

  it.each([
    ['an update', 200],
    ['an update with If-Match', 412],
    ['an update with a form', 409],
    ['a deletion', 204],
    ['a deletion with If-Match', 412],
    ['a restore', 200],
  ])(
    'is written after another decision unless the request has its version: %s → %i',
    async (write, expected) => {
      const { status, before, after } = await writeMeanwhile(write, { count: 7 })
      expect(status).toBe(expected)
      expect(after).toMatchObject({ version: before.version + (expected < 400 ? 1 : 0), count: 7 })
    },
  )
})

describe('two editors', () => {
  const ROUNDS = 50
  const put = (by: TestClient, id: number, form: Record<string, string>) => by.put(`/leaves/${id}`, { form })

  it('of one row in a form: one is stored, and the other form is shown again with its input', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await make()
      const typed = ['Ann', 'Ben'].map((name) => ({
        title: `${name} ${round}`,
        note: `by ${name}`,
        is_green: 'on',
      }))
      const answers = await Promise.all(typed.map((form) => put(client, id, { ...form, _version: '1' })))
      expect(statuses(answers).toSorted((one, other) => one - other)).toEqual([200, 409])
      const lost = answers.findIndex(({ status }) => status === 409)
      const [winner, loser] = [typed[1 - lost], typed[lost]]
      expect(await stored(id)).toMatchObject({ title: winner?.title, note: winner?.note, version: 2 })
      expect(answers[lost]?.json()).toMatchObject({
        values: { ...loser, is_green: true },
        storedNow: { title: winner?.title, note: winner?.note },
        version: '2',
      })
    }
  })

  it('of one row in the API: one receives 200, the other 412', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await make()
      const headers = { 'if-match': '"1"' }
      const answers = await Promise.all(
        ['Ann', 'Ben'].map((title) => client.put(`/api/leaves/${id}`, { json: { title }, headers })),
      )
      expect(statuses(answers).toSorted((one, other) => one - other)).toEqual([200, 412])
      const [won] = answers.filter(({ status }) => status === 200)
      expect(await stored(id)).toEqual(won?.json())
    }
  })
})

describe('the form of a row with a version', () => {
  const send = (id: number, form: Record<string, string>) => client.put(`/leaves/${id}`, { form })

  it('contains the version, and is shown again if it is older than the row', async () => {
    const { id } = await make()
    const shown = (await client.get(`/leaves/${id}`)).json() as { version: string }
    expect(shown.version).toBe('1')
    await app.within(() => all.update(id, { note: 'Meanwhile' }))
    const late = await send(id, { title: 'Mine', _version: shown.version })
    expect([late.status, late.json()]).toMatchObject([
      409,
      {
        values: { title: 'Mine' },
        version: '2',
        storedNow: { title: 'Old', note: 'Meanwhile', is_green: true },
      },
    ])
    const again = await send(id, { title: 'Mine', note: 'Mine too', is_green: 'on', _version: '2' })
    expect(again.status).toBe(200)
    expect(await stored(id)).toMatchObject({ title: 'Mine', note: 'Mine too', version: 3 })
  })

  it('has no conflict if the values are equal, as after a double click', async () => {
    const { id } = await make()
    const form = { title: 'Same', note: '', is_green: 'on', _version: '1' }
    expect((await send(id, form)).status).toBe(200)
    const before = await stored(id)
    expect((await send(id, form)).status).toBe(200)
    expect(await stored(id)).toEqual(before)
    expect((await send(id, { ...form, note: 'And more' })).status).toBe(409)
  })

  it.each(['id', 'version', 'updated_at', 'deleted_at', 'owner_id', '__version', 'xmin'])(
    'rejects the field %s with every value',
    async (field) => {
      const { id } = await make()
      const before = await stored(id)
      for (const value of ['1', '7', '2020-01-01T00:00:00Z', ''])
        expect((await send(id, { title: 'New', [field]: value, _version: '1' })).status).toBe(422)
      expect(await stored(id)).toEqual(before)
    },
  )

  it('keeps its version when its input is invalid', async () => {
    const { id } = await make()
    const refused = await send(id, { title: '', _version: '1' })
    expect([refused.status, refused.json()]).toMatchObject([422, { version: '1' }])
  })

  it('is rejected without a version or with an invalid version', async () => {
    const { id } = await make()
    expect((await send(id, { title: 'New' })).status).toBe(428)
    for (const _version of ['', '0', '01', '1.0', '1e0', ' 1', '9'.repeat(40), '1\0', 'latest'])
      expect((await send(id, { title: 'New', _version })).status).toBe(409)
    expect(
      (await client.put(`/leaves/${id}`, { body: '_version=1&_version=1&title=New', headers: FORM })).status,
    ).toBe(409)
    expect(await stored(id)).toMatchObject({ title: 'Old' })
  })

  it('reveals nothing to a denied caller', async () => {
    const { id } = await make()
    for (const form of [{ title: 'N' }, { title: 'N', _version: '9' }, { title: 'N', _version: '1' }])
      expect((await strange.put(`/leaves/${id}`, { form })).status).toBe(404)
  })
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('resource', () => {
  it('throws if clients write a managed column', () => {
    const input = z.strictObject({ version: z.number() })
    expect(() => resource('Twig', { table: 'twigs', input, version: true })).toThrow(
      "Twig: 'version' is written by the server",
    )
  })
})

describe('formInput', () => {
  it('throws for a copy of a row with a version', async () => {
    const copied = routes('/copied', {
      'PUT /:id': [
        secured(),
        load(Leaf),
        authorize('update', Leaf),
        async (req, res) => void res.json(await formInput(req, Leaf, { ...record(req, Leaf, 'update') })),
      ],
    })
    const other = await testApp({
      database,
      resources: [{ repository: leaves, routes: { copied } }, { repository: users }],
    })
    const { id } = await make()
    const answer = await (
      await other.signInAs(owner.email)
    ).put(`/copied/${id}`, { form: { title: 'N', _version: '1' } })
    expect(answer.status).toBe(500)
  })
})
