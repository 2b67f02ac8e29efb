import { beforeAll, describe, expect, it } from 'vitest'
import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  contextOf,
  CursorRequest,
  hasVisible,
  load,
  type Page,
  PageRequest,
  parentAllows,
  policy,
  policyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  scoped,
  secured,
} from 'pergola'
import { registryOfResources } from 'pergola/app'
import type { ListOptions } from '../src/lists/list-source.ts'
import { testDatabase } from 'pergola/testing'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

interface VeinTable {
  id: Generated<number>
  leaf_id: number
}

declare module 'pergola' {
  interface Tables {
    veins: VeinTable
  }
}

const leaves = repository(Leaf, {
  api: '/api/leaves',
  policy: leafPolicy,
  scope: leafScope,
  order: '-title',
  finders: { called: (list, title: string) => list.findAll({ where: (is) => is('title', '=', title) }) },
})
const Vein = resource('Vein', {
  table: 'veins',
  input: z.strictObject({ leaf_id: z.number() }),
  references: { leaf_id: Leaf },
})
const veins = repository(Vein, {
  api: '/api/veins',
  policy: policy(Vein, {
    canShow: parentAllows('show', Leaf, 'leaf_id'),
    canCreate: (ctx) => ctx.userId !== null,
  }),
  scope: scope(Vein, { where: (ctx) => hasVisible(ctx, Leaf, 'veins.leaf_id') }),
})

const leafRoutes = routes('/leaves', {
  'POST /:id/restored': [
    secured(),
    load(Leaf, { withTrashed: true }),
    authorize('restore', Leaf),
    async (req, res) => void res.json(await leaves.restore(record(req, Leaf, 'restore'))),
  ],
  'POST /:id/restored-live': [
    secured(),
    load(Leaf),
    authorize('restore', Leaf),
    async (req, res) => void res.json(await leaves.restore(record(req, Leaf, 'restore'))),
  ],
  'POST /:id/renamed-in-trash': [
    secured(),
    load(Leaf, { withTrashed: true }),
    authorize('update', Leaf),
    async (req, res) =>
      void res.json(await leaves.update(record(req, Leaf, 'update'), { title: 'No' }, { set: ['title'] })),
  ],
  'POST /:id/restored-by-update': [
    secured(),
    load(Leaf, { withTrashed: true }),
    authorize('update', Leaf),
    async (req, res) => void res.json(await leaves.restore(record(req, Leaf, 'update') as never)),
  ],
  'GET /trash': [
    secured(),
    async (req, res) => {
      const listed = leaves.visibleTo(await policyContext(req)).withTrashed()
      res.json((await listed.page(new PageRequest(1, 20))) satisfies Page<Leaf>)
    },
  ],
})

const resources = [
  { repository: leaves, routes: { leafRoutes } },
  { repository: veins },
  { repository: users },
]
const database = await testDatabase()
const app = await testApp({ database, resources })
const [owner, stranger] = await app.within(() => Promise.all([makeUser(), makeUser()]))
const [client, strange] = await Promise.all([app.signInAs(owner.email), app.signInAs(stranger.email)])
const all = leaves.asSystem('test')

beforeAll(async () => {
  await createLeaves(app.db)
  await sql`create table veins (id bigint generated always as identity primary key, leaf_id bigint)`.execute(
    app.db,
  )
})

const make = (title = 'A leaf') => app.within(() => all.insert({ owner_id: owner.id, title }))
const trashed = async (title?: string) => {
  const leaf = await make(title)
  await app.within(() => all.delete(leaf.id))
  return leaf
}
const ctx = contextOf(
  { id: 's', userId: owner.id, name: 'N', roles: [] },
  { registry: registryOfResources(resources) },
)

describe('a row in the trash', () => {
  it('is still stored, but no read returns it', async () => {
    const { id } = await trashed()
    await app.within(async () => {
      const visible = leaves.visibleTo(ctx)
      expect(await leaves.asSystem('test').find(id)).toBeNull()
      expect(await all.find(id)).toBeNull()
      for (const rows of [
        await visible.findAll(),
        await all.findAll(),
        await all.findAll({ where: (is) => is.or([is('id', '=', id), is.lit(true)]) }),
        (await visible.page(new PageRequest(1, 100))).content,
        (await visible.cursorPage(new CursorRequest(null, 100))).content,
        (await visible.findInBatches(100).nextBatch()) ?? [],
        (await visible
          .findInBatches(100, { snapshot: true, where: (is) => is('id', '>=', id) })
          .nextBatch()) ?? [],
        await scoped(Leaf, ctx).execute(),
        await scoped(Leaf, ctx).clearWhere().execute(),
        await leafScope.list(ctx, app.db),
        await all.called('A leaf'),
      ])
        expect(rows.map((row) => row.id)).not.toContain(id)
    })
    const { rows } = await sql`select 1 from leaves where id = ${id}`.execute(app.db)
    expect(rows).toHaveLength(1)
  })

  it('is included in batches of withTrashed, even if the table has no other row', async () => {
    const { id } = await trashed('Last')
    await app.within(async () => {
      const visible = leaves.visibleTo(ctx).withTrashed()
      const rows = [
        ...((await visible
          .findInBatches(100, { snapshot: true, where: (is) => is('id', '>=', id) })
          .nextBatch()) ?? []),
        ...(await visible.cursorPage(new CursorRequest(null, 100))).content,
      ]
      expect(rows.filter((row) => row.id === id)).toHaveLength(2)
    })
  })

  it('is missing from totals, pages and the API', async () => {
    const total = async () => ((await client.get('/api/leaves')).json() as Page<Leaf>).total_elements
    const before = await total()
    const { id } = await make()
    expect(await total()).toBe(before + 1)
    expect(await app.within(() => leaves.visibleTo(ctx).count())).toBe(before + 1)
    const etag = (await client.get(`/api/leaves/${id}`)).headers.get('etag') ?? ''
    expect((await client.delete(`/api/leaves/${id}`, { headers: { 'if-match': etag } })).status).toBe(204)
    expect(await total()).toBe(before)
    const headers = { 'if-match': etag }
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const sent = { headers, ...(method === 'PUT' && { json: {} }) }
      expect((await client.send(method, `/api/leaves/${id}`, sent)).status).toBe(404)
    }
  })

  it('can’t be referred to, and its children are not listed', async () => {
    const [here, gone] = [await make(), await trashed()]
    const answers = []
    for (const leaf_id of [here.id, gone.id])
      answers.push((await client.post('/api/veins', { json: { leaf_id } })).json())
    expect(answers).toMatchObject([{ leaf_id: here.id }, { errors: [{ field: 'leaf_id' }] }])
    const vein = await app.within(() => veins.asSystem('test').insert({ leaf_id: gone.id }))
    expect((await client.get(`/api/veins/${vein.id}`)).status).toBe(404)
    const listed = (await app.within(() => veins.visibleTo(ctx).findAll())).map(({ leaf_id }) => leaf_id)
    expect(listed).toContain(here.id)
    expect(listed).not.toContain(gone.id)
  })

  it('can’t be written by any caller', async () => {
    const { id } = await trashed()
    expect(await app.within(() => all.update(id, { title: 'New' }))).toBeNull()
    expect(await app.within(() => all.delete(id))).toBe(false)
    expect((await client.post(`/leaves/${id}/renamed-in-trash`)).status).toBe(404)
  })

  it('can’t be deleted or restored by client input', async () => {
    const leaf = await make()
    const headers = { 'if-match': '*' }
    for (const deleted_at of ['2026-04-27T12:00:00Z', 'now']) {
      const answer = await client.put(`/api/leaves/${leaf.id}`, { json: { deleted_at }, headers })
      expect(answer.json()).toMatchObject({ errors: [{ field: 'deleted_at' }] })
      const created = await client.post('/api/leaves', { json: { title: 'T', deleted_at } })
      expect(created.status).toBe(422)
    }
    await expect(app.within(() => all.update(leaf.id, { deleted_at: 'now' } as never))).rejects.toThrow(
      'Leaf.deleted_at is a managed column',
    )
  })
})

describe('withTrashed', () => {
  it('lists trashed rows too, within the scope, with totals and finders', async () => {
    const [here, gone] = [await make('both'), await trashed('both')]
    const idsOf = (rows: readonly Leaf[]) => rows.map(({ id }) => id)
    await app.within(async () => {
      const visible = leaves.visibleTo(ctx).withTrashed()
      const mine: ListOptions<typeof Leaf> = { where: (is) => is('title', '=', 'both') }
      expect(idsOf(await visible.findAll(mine))).toEqual([gone.id, here.id])
      expect(await visible.count(mine)).toBe(2)
      expect(idsOf(await visible.called('both'))).toEqual([gone.id, here.id])
      expect(idsOf(await all.withTrashed().findAll(mine))).toEqual([gone.id, here.id])
      expect((await leaves.asSystem('test').withTrashed().find(gone.id))?.deleted_at).not.toBeNull()
    })
    expect(((await strange.get('/leaves/trash')).json() as Page<Leaf>).total_elements).toBe(0)
    const page = (await client.get('/leaves/trash')).json() as Page<Leaf>
    expect(idsOf(page.content)).toContain(gone.id)
  })
})

describe('restore', () => {
  const restore = (id: number, by = client) => by.post(`/leaves/${id}/restored`)

  it('restores the row with all its values', async () => {
    const leaf = await trashed()
    const answer = await restore(leaf.id)
    expect([answer.status, (answer.json() as Leaf).deleted_at]).toEqual([200, null])
    expect(await app.within(() => leaves.asSystem('test').find(leaf.id))).toMatchObject({
      title: leaf.title,
      version: 3,
    })
  })

  it('needs canRestore: denies a missing rule, a stranger, a guest and another decision', async () => {
    const { id } = await trashed()
    const { canRestore: _, ...rules } = leafPolicy.rules
    const strict = await testApp({
      database,
      resources,
      policies: [[Leaf, { ...leafPolicy, rules }]],
    })
    const unwritten = await strict.signInAs(owner.email)
    expect((await unwritten.post(`/leaves/${id}/restored`)).status).toBe(404)
    expect((await restore(id, strange)).status).toBe(404)
    expect((await restore(id, app.guest)).status).toBe(303)
    expect((await client.post(`/leaves/${id}/restored-by-update`)).status).toBe(500)
    expect(await app.within(() => leaves.asSystem('test').find(id))).toBeNull()
  })

  it('returns 409 if the row is not in the trash, and 404 if the route doesn’t load from the trash', async () => {
    expect((await restore((await make()).id)).status).toBe(409)
    expect((await client.post(`/leaves/${(await trashed()).id}/restored-live`)).status).toBe(404)
  })

  it('decides again if the row was restored and deleted meanwhile', async () => {
    const { id } = await trashed()
    let decisions = 0
    const meddling = policy(Leaf, {
      ...leafPolicy.rules,
      canRestore: async () => {
        if (++decisions === 1) await all.restore(id).then(() => all.delete(id))
        return true
      },
    })
    const raced = await testApp({ database, resources, policies: [[Leaf, meddling]] })
    expect((await restore(id, await raced.signInAs(owner.email))).status).toBe(200)
    // By the route, in the transaction of the write, and on the newer row.
    expect(decisions).toBe(3)
    expect(await app.within(() => leaves.asSystem('test').find(id))).toMatchObject({ version: 5 })
  })

  it('of the system accepts an id; purge deletes permanently, from the trash too', async () => {
    const [one, two] = [await trashed(), await make()]
    await app.within(async () => {
      expect((await all.restore(one.id))?.id).toBe(one.id)
      expect(await all.restore(one.id)).toBeNull()
      await all.delete(one.id)
      expect([await all.purge(one.id), await all.purge(two.id), await all.purge(two.id)]).toEqual([
        true,
        true,
        false,
      ])
      expect(await leaves.asSystem('test').withTrashed().find(one.id)).toBeNull()
    })
  })

  it('decides on the stored row, not on a copy', async () => {
    const { id } = await trashed()
    const copied = routes('/copied', {
      'POST /:id': [
        secured(),
        async (req, res) => {
          const row = await leaves.asSystem('test').withTrashed().find(Number(req.params['id']))
          const { userId } = await policyContext(req)
          const copy = row && { ...row, owner_id: userId ?? 0 }
          await leaves.restore(await authorizeRecord(req, 'restore', Leaf, copy))
          res.end()
        },
      ],
    })
    const other = await testApp({
      database,
      resources: [{ repository: leaves, routes: { copied } }, { repository: users }],
    })
    expect((await (await other.newcomer()).post(`/copied/${id}`)).status).toBe(404)
    expect((await (await other.signInAs(owner.email)).post(`/copied/${id}`)).status).toBe(200)
  })
})

describe('a resource with softDelete', () => {
  it('has a trash in every repository', async () => {
    const { id } = await trashed()
    const other = repository(Leaf, {})
    expect(await app.within(() => other.asSystem('test').find(id))).toBeNull()
    expect(await app.within(() => other.asSystem('test').count())).toBe(await app.within(() => all.count()))
  })
})
