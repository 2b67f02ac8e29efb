import { beforeAll, describe, expect, it } from 'vitest'
import {
  authorize,
  contextOf,
  database,
  hasVisible,
  inTransaction,
  load,
  policyContext,
  publicRoute,
  record,
  referenceChoices,
  resource,
  RowsGone,
  routes,
  scoped,
  secured,
  withAllTenants,
  withDatabase,
  withTenant,
} from 'pergola'
import { registryOfResources } from 'pergola/app'
import express from 'express'
import { z } from 'zod'
import { explain } from 'pergola/manifest'
import { testDatabase } from 'pergola/testing'
import { useAuthorization } from '../src/policy/policy-state.ts'
import { testApp } from './fixtures/test-app.ts'
import {
  createTenantTables,
  Grove,
  gardeners,
  groveNames,
  groves,
  makeGrove,
  makeMember,
  makeTree,
  tenantOf,
  Tree,
  trees,
  treePolicy,
} from './fixtures/tenants.ts'
import { users } from './fixtures/user.ts'

const testDb = await testDatabase()
await createTenantTables(testDb.db)
const resources = [
  { repository: trees },
  { repository: groves },
  { repository: gardeners },
  { repository: users },
]
const registry = registryOfResources(resources)

const treeRoutes = routes('/trees', {
  'GET /found/:id': [
    publicRoute(),
    async (req, res) => void res.json((await trees.asSystem('test').find(Number(req.params['id']))) === null),
  ],
  'POST /:id/restore': [
    secured(),
    load(Tree, { withTrashed: true }),
    authorize('restore', Tree),
    async (req, res) => void res.json(await trees.restore(record(req, Tree, 'restore'))),
  ],
  'GET /system': [
    publicRoute(),
    async (_req, res) => void res.json({ total: await trees.asSystem('test').count() }),
  ],
  'POST /choices': [
    secured(),
    async (req, res) => {
      const form = { values: formValues(req), errors: {} }
      res.json(await referenceChoices(req, Tree, form))
    },
  ],
  'GET /tenant': [publicRoute(), async (req, res) => void res.json((await policyContext(req)).tenant)],
})
const app = await testApp({ database: testDb, resources, tenantOf, tables: [treeRoutes] })
const revealing = await testApp({ database: testDb, resources, tenantOf, forbiddenResponse: '403' })

const [OWN, OTHER] = [1, 2] as const
const [insider, outsider] = await app.within(() => Promise.all([makeMember(OWN), makeMember(OTHER)]))
const stray = await app.newcomer()
const formValues = (req: { body: unknown }) => req.body as Record<string, string>
const client = await app.signInAs(insider.email)
const neighbour = await app.signInAs(outsider.email)
const inTenant = <Result>(tenant: number, work: () => Promise<Result>) =>
  withDatabase(app.db, () => withTenant(tenant, work))
const ctxOf = (tenant: number | null) =>
  contextOf({ id: 's', userId: insider.id, name: 'Test', roles: [] }, { registry, tenant, db: database })

const own = await app.within(() => makeTree(OWN))
const other = await app.within(() => makeTree(OTHER, { name: 'Foreign', slug: 'foreign' }))
const otherGrove = await app.within(() => makeGrove(OTHER))
const ids = (rows: readonly object[]) => rows.map((row) => (row as { id: number }).id)

describe('resource', () => {
  it('makes the tenant immutable, and rejects it as an input and as a hidden column', () => {
    expect(Tree.tenant).toBe('account_id')
    expect(Tree.immutable).toContain('account_id')
    const input = z.strictObject({ account_id: z.number() })
    expect(() => resource('A', { table: 'groves', tenant: 'account_id', input: input as never })).toThrow(
      "A: 'account_id' is written by the server.",
    )
    const options = { table: 'groves', tenant: 'account_id', hidden: ['account_id'] } as const
    expect(() =>
      resource('A', { ...options, input: z.strictObject({}), columns: ['created_at', 'name'] }),
    ).toThrow("A: 'account_id' is the tenant, so it can't be hidden")
  })
})

describe('tenantOf', () => {
  it('returns the tenant of ctx', async () => {
    expect((await client.get('/trees/tenant')).json()).toBe(OWN)
    expect((await app.guest.get('/trees/tenant')).json()).toBeNull()
  })

  it('is called once for each request', async () => {
    let calls = 0
    const counted = await testApp({
      database: testDb,
      resources,
      tables: [treeRoutes],
      tenantOf: () => ++calls && OWN,
    })
    expect((await counted.guest.get('/api/trees')).status).toBe(200)
    expect(calls).toBe(1)
  })

  it('may name the tenant of a host, whose records guests then see', async () => {
    const byHost = await testApp({
      database: testDb,
      resources,
      tenantOf: (req) => (req.get('x-host') === 'other' ? OTHER : OWN),
    })
    const accountsFor = async (host: string) => {
      const headers = { 'x-host': host }
      const { content } = (await byHost.guest.get('/api/trees?size=100', { headers })).json() as {
        content: { account_id: number }[]
      }
      return new Set(content.map(({ account_id }) => account_id))
    }
    const accounts = await Promise.all(['own', 'other', 'own', 'other'].map(accountsFor))
    expect(accounts).toEqual([OWN, OTHER, OWN, OTHER].map((account) => new Set([account])))
    const loads = ['own', 'other'].map((host) =>
      byHost.guest.get(`/api/trees/${other.id}`, { headers: { 'x-host': host } }),
    )
    expect((await Promise.all(loads)).map(({ status }) => status)).toEqual([404, 200])
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no host'))],
    ['returns undefined', () => undefined as never],
  ])('makes the response a 503 if it %s', async (_, broken) => {
    const failing = await testApp({ database: testDb, resources, tenantOf: broken })
    expect((await failing.guest.get('/api/trees')).status).toBe(503)
  })

  it('is required if a resource has a tenant', () => {
    const settings = { registry, forbiddenResponse: '404' as const, report: () => {} }
    const findSession = () => Promise.resolve(null)
    expect(() => useAuthorization(express(), { ...settings, findSession })).toThrow(
      /(Tree|Grove) has a tenant. Pass tenantOf to webApplication/,
    )
  })
})

describe('a caller without a tenant', () => {
  it('sees empty lists and no records, and creates none', async () => {
    expect((await stray.get('/api/trees')).json()).toMatchObject({ content: [], total_elements: 0 })
    expect((await stray.get(`/api/trees/${own.id}`)).status).toBe(404)
    expect((await stray.get('/trees/system')).json()).toEqual({ total: 0 })
    for (const server of [app, revealing]) {
      const caller = await server.signInAs(stray.user.email)
      const created = await caller.post('/api/groves', { json: { name: 'New' } })
      expect(created.status).toBe(404)
    }
  })
})

describe('the running code', () => {
  it('reads and writes no rows without a tenant', async () => {
    await withDatabase(app.db, async () => {
      const message = 'Tree belongs to tenants, and no tenant is set here. Call withTenant(id, () => …)'
      const system = trees.asSystem('test')
      const values = { name: 'A', slug: 'a', owner_id: insider.id, grove_id: null }
      const calls = [
        () => system.findAll(),
        () => system.count(),
        () => system.find(own.id),
        () => trees.asSystem('test').find(own.id),
        () => system.insert(values),
        () => system.saveMany([values]),
        () => system.update(own.id, { name: 'B' }),
        () => system.upsertMany([{ id: own.id, name: 'B' }], { columns: ['name'] }),
        () => system.delete(own.id),
        () => system.purge(own.id),
        () => system.restore(own.id),
        () => system.history(own.id),
        () => system.findInBatches(10).nextBatch(),
        () => system.inBatches(10).nextBatch(),
      ]
      for (const call of calls) await expect(async () => call()).rejects.toThrow(message)
    })
  })

  it('fills the tenant in, and rejects another one', async () => {
    const values = { name: 'A', slug: 'filled', owner_id: insider.id, grove_id: null }
    const row = await inTenant(OWN, () => trees.asSystem('test').insert(values))
    expect(row.account_id).toBe(OWN)
    await expect(
      inTenant(OWN, () => trees.asSystem('test').insert({ ...values, account_id: OTHER })),
    ).rejects.toThrow('A new Tree has another tenant than the running code.')
    await expect(
      withDatabase(app.db, () => withAllTenants(() => trees.asSystem('test').insert(values))),
    ).rejects.toThrow('A new Tree needs a tenant. Pass account_id')
  })

  it('rejects references to a resource that hides the column of the tenant', () => {
    const input = z.strictObject({ name: z.string() })
    const Hiding = resource('Hiding', {
      table: 'memberships',
      input: z.strictObject({}),
      columns: ['user_id'],
      hidden: ['account_id'],
    })
    const options = {
      table: 'groves',
      tenant: 'account_id',
      input,
      columns: ['created_at'],
      references: { name: Hiding },
    } as const
    expect(() => resource('Referring', options)).toThrow("Hiding hides 'account_id'")
  })

  it.each([undefined, null, Number.NaN])('rejects %s as a tenant', async (tenant) => {
    const work = withTenant(tenant as never, async () => {})
    await expect(work).rejects.toThrow('withTenant needs the id of a tenant')
  })

  it('rejects a walk, which would read its batches outside of the tenant', async () => {
    const walk = () => trees.asSystem('test').findInBatches(10) as never
    await expect(withDatabase(app.db, () => withTenant(OWN, walk))).rejects.toThrow('returns a promise')
    await expect(withDatabase(app.db, () => withAllTenants(walk))).rejects.toThrow('returns a promise')
  })

  it('keeps its tenant in a transaction, and ends it with the work', async () => {
    const tenants = await withDatabase(app.db, () =>
      withTenant(OWN, async () => {
        const inner = await inTransaction(() => withTenant(OTHER, () => trees.asSystem('test').findAll()))
        const outer = await inTransaction(() => trees.asSystem('test').findAll())
        return [inner, outer].map((rows) => [...new Set(rows.map(({ account_id }) => account_id))])
      }),
    )
    expect(tenants).toEqual([[OTHER], [OWN]])
  })

  it('reads the rows of all tenants within withAllTenants', async () => {
    const rows = await app.within(() => trees.asSystem('test').findAll())
    expect(new Set(rows.map(({ account_id }) => account_id))).toEqual(new Set([OWN, OTHER]))
  })
})

describe('asSystem', () => {
  const system = trees.asSystem('test')
  const within = <Result>(work: () => Promise<Result>) => inTenant(OWN, work)
  const stored = () => app.within(() => trees.asSystem('test').find(other.id))

  it('finds, lists, counts and walks only the rows of its tenant', async () => {
    expect(await within(() => system.find(other.id))).toBeNull()
    expect(ids(await within(() => system.findAll()))).not.toContain(other.id)
    expect(await within(() => system.findAll({ where: (is) => is('id', '=', other.id) }))).toEqual([])
    expect(ids(await within(() => system.named('Foreign')))).toEqual([])
    expect(ids(await within(() => system.withTrashed().findAll()))).not.toContain(other.id)
    expect(ids((await within(() => system.findInBatches(1_000).nextBatch())) ?? [])).not.toContain(other.id)
    expect(await within(() => system.history(other.id))).toMatchObject({ content: [] })
  })

  it('writes no row of another tenant', async () => {
    const before = await stored()
    expect(await within(() => system.update(other.id, { name: 'Taken' }))).toBeNull()
    expect(await within(() => system.delete(other.id))).toBe(false)
    expect(await within(() => system.purge(other.id))).toBe(false)
    expect(await within(() => system.restore(other.id))).toBeNull()
    const rows = [
      { id: own.id, name: 'Mine' },
      { id: other.id, name: 'Taken' },
    ]
    await expect(within(() => system.upsertMany(rows, { columns: ['name'] }))).rejects.toThrow(RowsGone)
    for await (const range of inBatchesOf(OWN)) await within(() => range.update({ name: 'Walked' }))
    expect(await stored()).toEqual(before)
    expect((await app.within(() => trees.asSystem('test').find(own.id)))?.name).toBe('Walked')
  })

  const inBatchesOf = (tenant: number) => ({
    async *[Symbol.asyncIterator]() {
      const walk = system.inBatches(1_000)
      for (;;) {
        const range = await inTenant(tenant, () => walk.nextBatch())
        if (range === null) return
        yield range
      }
    },
  })

  it('never changes the tenant', async () => {
    const changes = { account_id: OTHER } as never
    await expect(within(() => system.update(own.id, changes))).rejects.toThrow(
      'Tree.account_id is the tenant of a record, which never changes.',
    )
    const rows = [{ id: own.id, account_id: OTHER }] as never
    await expect(within(() => system.upsertMany(rows, { columns: ['account_id'] as never }))).rejects.toThrow(
      "Tree.account_id can't be written by upsertMany.",
    )
    const walk = system.inBatches(1_000)
    const range = await within(() => walk.nextBatch())
    await expect(within(async () => range?.update(changes))).rejects.toThrow('which never changes')
  })

  it('shows the history of a deleted record to its tenant alone', async () => {
    const { id } = await app.within(() => makeTree(OTHER))
    await inTenant(OTHER, () => system.purge(id))
    expect((await inTenant(OTHER, () => system.history(id))).content).toHaveLength(2)
    expect((await within(() => system.history(id))).content).toEqual([])
  })
})

describe('the lists of a caller', () => {
  it('contain only rows of the tenant, although the scope allows all', async () => {
    await withDatabase(app.db, async () => {
      const visible = trees.visibleTo(ctxOf(OWN))
      expect(new Set((await visible.findAll()).map(({ account_id }) => account_id))).toEqual(new Set([OWN]))
      expect(await visible.count({ where: (is) => is.or([is.lit(true), is('id', '=', other.id)]) })).toBe(
        await visible.count(),
      )
      expect(await visible.named('Foreign')).toEqual([])
      expect(await visible.withTrashed().findAll({ where: (is) => is('id', '=', other.id) })).toEqual([])
      expect(ids(await scoped(Tree, ctxOf(OWN)).selectAll().execute())).not.toContain(other.id)
      expect(ids((await visible.findInBatches(1_000).nextBatch()) ?? [])).not.toContain(other.id)
    })
  })

  it('are walked up to the last row of their tenant, wherever the walk is read', async () => {
    const last = await app.within(() => makeTree(OWN))
    await app.within(() => makeTree(OTHER))
    const read = async () => {
      const walk = trees.visibleTo(ctxOf(OWN)).findInBatches(1, { snapshot: true })
      await walk.nextBatch()
      const { share } = await walk.progress()
      const rows = await Array.fromAsync(walk)
      return { share, last: rows.at(-1)?.at(-1)?.id }
    }
    const expected = { share: 0, last: last.id }
    expect(await withDatabase(app.db, read)).toEqual(expected)
    expect(await inTenant(OTHER, read)).toEqual(expected)
    const later = await app.within(() => makeTree(OWN))
    expect(await inTenant(OTHER, read)).toEqual({ share: 0, last: later.id })
  })

  it('are not shared between tenants', async () => {
    const pages = () =>
      Promise.all([client, neighbour, client, neighbour].map((caller) => caller.get('/api/trees?size=100')))
    for (const round of [await pages(), await pages()])
      for (const [index, page] of round.entries()) {
        const { content } = page.json() as { content: { account_id: number }[] }
        expect(new Set(content.map(({ account_id }) => account_id))).toEqual(
          new Set([[OWN, OTHER][index % 2]]),
        )
      }
  })

  it('have no labels of another tenant', async () => {
    await withDatabase(app.db, async () => {
      const [mine, theirs] = await Promise.all([
        groveNames(ctxOf(OWN), [otherGrove.id]),
        groveNames(ctxOf(OTHER), [otherGrove.id]),
      ])
      expect([mine.size, theirs.size]).toEqual([0, 1])
    })
  })

  it('are empty below a parent of another tenant', async () => {
    await withDatabase(app.db, async () => {
      const below = (tenant: number) =>
        database()
          .selectFrom('trees')
          .select('id')
          .where(hasVisible(ctxOf(tenant), Grove, 'trees.grove_id'))
          .execute()
      const { id } = await makeTree(OTHER, { grove_id: otherGrove.id })
      expect(await below(OWN)).toEqual([])
      expect(ids(await below(OTHER))).toEqual([id])
    })
  })
})

describe('the requests of another tenant', () => {
  const paths = [
    ['GET', `/api/trees/${other.id}`],
    ['PUT', `/api/trees/${other.id}`],
    ['DELETE', `/api/trees/${other.id}`],
    ['GET', `/trees/found/${other.id}`],
    ['POST', `/trees/${other.id}/restore`],
  ] as const

  it.each(paths)(
    '%s %s equals the request for a missing record, with every forbidden_response',
    async (method, path) => {
      for (const server of [app, revealing]) {
        const caller = await server.signInAs(insider.email)
        const send = (address: string) =>
          caller.send(method, address, method === 'GET' ? {} : { json: { name: 'Taken' } })
        const [foreign, missing] = [await send(path), await send(path.replace(String(other.id), '999999'))]
        const shown = ({ text }: typeof foreign) => text.replaceAll(/"request_id":"[^"]+"/g, '')
        expect([foreign.status, shown(foreign)]).toEqual([missing.status, shown(missing)])
      }
      expect((await app.within(() => trees.asSystem('test').find(other.id)))?.name).toBe('Foreign')
    },
  )

  it('creates no record in another tenant, and with no reference to another tenant', async () => {
    const json = { name: 'New', slug: 'new', grove_id: null }
    const named = await client.post('/api/trees', { json: { ...json, account_id: OTHER } })
    expect([named.status, named.text]).toEqual([422, expect.stringContaining('account_id')])
    const referring = await client.post('/api/trees', { json: { ...json, grove_id: otherGrove.id } })
    const unknown = await client.post('/api/trees', { json: { ...json, grove_id: 999_999 } })
    const errors = [referring, unknown].map((answer) => (answer.json() as { errors: unknown }).errors)
    expect(referring.status).toBe(422)
    expect(errors[0]).toEqual(errors[1])
    const created = await client.post('/api/trees', { json })
    expect(created.json()).toMatchObject({ account_id: OWN, owner_id: insider.id })
  })

  it('refers to no record that has an account of its own, such as a user', async () => {
    const [mine, theirs] = await app.within(() =>
      Promise.all(
        [OWN, OTHER].map((account_id) =>
          gardeners.asSystem('test').insert({ account_id, name: `Gardener of ${account_id}` }),
        ),
      ),
    )
    const choices = async (form: Record<string, string>) =>
      (await client.post('/trees/choices', { form })).text
    for (const form of [{}, { _find_gardener_id: 'Gardener' }, { gardener_id: String(theirs?.id) }]) {
      expect(await choices(form as Record<string, string>)).toContain('Gardener of 1')
      expect(await choices(form as Record<string, string>)).not.toContain('Gardener of 2')
    }
    const json = { name: 'New', slug: 'tended', grove_id: null }
    const statuses = [theirs, mine].map(async (gardener) => {
      const answer = await client.post('/api/trees', { json: { ...json, gardener_id: gardener?.id } })
      return answer.status
    })
    expect(await Promise.all(statuses)).toEqual([422, 201])
  })

  it('uses values that are unique in each tenant', async () => {
    const json = { name: 'Same', slug: other.slug, grove_id: null }
    expect((await client.post('/api/trees', { json })).status).toBe(201)
    expect((await client.post('/api/trees', { json })).status).toBe(422)
  })

  it('accepts the stored tenant in a PUT, and rejects another one', async () => {
    const tree = await app.within(() => makeTree(OWN))
    const path = `/api/trees/${tree.id}`
    const headers = { 'If-Match': (await client.get(path)).headers.get('etag') ?? '' }
    const put = (json: object) => client.put(path, { headers, json })
    expect((await put({ account_id: OTHER, name: 'Moved' })).status).toBe(422)
    expect((await put({ account_id: OWN, name: 'Renamed' })).status).toBe(200)
  })

  it('reads its own rows with a cursor of another tenant', async () => {
    const { next_cursor: cursor } = (await neighbour.get('/api/trees?cursor=&size=1')).json() as {
      next_cursor: string
    }
    const { content } = (await client.get(`/api/trees?cursor=${cursor}&size=100`)).json() as {
      content: { account_id: number }[]
    }
    expect(content.filter(({ account_id }) => account_id !== OWN)).toEqual([])
  })
})

describe('explain', () => {
  it('finds only records of the caller’s tenant, and returns the tenant of others', async () => {
    const explained = (tenant: number | null, id: number) =>
      withDatabase(app.db, () => explain(trees, ctxOf(tenant), { action: 'show', id: String(id) }))
    expect(await explained(OTHER, other.id)).toMatchObject({ exists: true, otherTenant: null })
    const hidden = { exists: false, allowed: false, isListed: false, otherTenant: OTHER }
    expect(await explained(OWN, other.id)).toMatchObject({ ...hidden, cause: 'other_tenant' })
    expect(await explained(null, other.id)).toMatchObject({ ...hidden, cause: 'no_tenant' })
    expect(await explained(OWN, 999_999)).toMatchObject({
      exists: false,
      cause: 'missing',
      otherTenant: null,
    })
  })
})

describe('a policy', () => {
  it('decides within the tenant, and can’t allow more', async () => {
    const { decide } = await import('../src/policy/decide.ts')
    const policies = new Map([[Tree, treePolicy as never]])
    const causesFor = (tenant: number | null) =>
      ['show', 'create', 'update', 'delete'].map((action) => {
        const question = { action, resource: Tree, record: other }
        return (decide(policies, ctxOf(tenant), question) as { cause: string }).cause
      })
    expect(new Set(causesFor(OWN))).toEqual(new Set(['other_tenant']))
    expect(new Set(causesFor(null))).toEqual(new Set(['no_tenant']))
    expect(new Set(causesFor(OTHER))).toEqual(new Set(['allowed']))
  })
})

beforeAll(async () => {
  await app.within(() => makeTree(OTHER))
})
