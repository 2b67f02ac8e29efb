import { describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import {
  authorize,
  database,
  type Handler,
  load,
  publicRoute,
  record,
  routes,
  secured,
  withAllTenants,
  withTenant,
} from 'pergola'
import { probeTenants, type TestApp, testDatabase } from 'pergola/testing'
import {
  createTenantTables,
  groves,
  gardeners,
  Grove,
  makeGrove,
  makeMember,
  makeTree,
  tenantOf,
  Tree,
  trees,
} from './fixtures/tenants.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

type Owner = { id: number; account_id?: number }

const makers = {
  Tree: async (owner: Owner) => {
    const account = owner.account_id ?? 0
    return makeTree(account, { owner_id: owner.id, grove_id: (await makeGrove(account)).id })
  },
  Grove: (owner: Owner) => makeGrove(owner.account_id ?? 0),
  User: () => makeUser(),
  '/account/sessions/:id': () => Promise.resolve({ id: 1 }),
}

async function probed(table: Parameters<typeof routes>[1] = {}, { moves = {}, groveTable = {} } = {}) {
  const testDb = await testDatabase()
  await createTenantTables(testDb.db)
  // Only the framework compares the accounts of gardeners in this test.
  await sql`alter table trees drop constraint trees_account_id_gardener_id_fkey`.execute(testDb.db)
  await sql`insert into gardeners (account_id, name) values (1, 'Own'), (2, 'Foreign')`.execute(testDb.db)
  const resources = [
    { repository: trees, routes: { treeRoutes: routes('/trees', table) } },
    { repository: groves, routes: { groveRoutes: routes('/groves', groveTable) } },
    { repository: gardeners },
    { repository: users },
  ]
  const moveRoutes = routes('/moves', moves)
  const started = await testApp({ database: testDb, resources, tenantOf, tables: [moveRoutes] })
  const app = { ...started, routes: [...started.routes, moveRoutes] }
  const [insider, outsider] = await app.within(() => Promise.all([makeMember(1), makeMember(2)]))
  await app.within(async () => {
    for (const owner of [insider, outsider]) await makers.Tree(owner)
  })
  return probeTenants(app as TestApp, { insider, outsider, makers })
}

describe('probeTenants', () => {
  it('finds nothing in an application whose resources have a tenant', async () => {
    expect(await probed()).toEqual([])
  }, 60_000)

  it.each<[string, Parameters<typeof routes>[1], string]>([
    [
      'a list that reads the table itself',
      { 'GET /all': [secured(), (async (_req, res) => void res.json(await allTrees())) as Handler] },
      'GET /trees/all: shows data of another tenant',
    ],
    [
      'a write in the other tenant',
      {
        'POST /rename': [
          publicRoute(),
          (async (_req, res) => {
            await withTenant(2, async () => {
              const [tree] = await trees.asSystem('test').findAll()
              await trees.asSystem('test').update(tree?.id ?? 0, { name: 'Renamed' })
            })
            res.end()
          }) as Handler,
        ],
      },
      'POST /trees/rename: changed a record of another tenant',
    ],
  ])(
    'reports %s',
    async (_, table, finding) => {
      expect(await probed(table)).toContain(finding)
    },
    60_000,
  )
})

describe('probeTenants beyond the lists and forms of a resource', { timeout: 120_000 }, () => {
  it('reports a filter of a list below a record', async () => {
    const below: Handler = async (req, res) => {
      const { slug } = req.query as { slug?: string }
      const all = await allTrees()
      const named = await database()
        .selectFrom('trees')
        .select('name')
        .where('slug', '=', slug ?? '')
        .execute()
      res.json(slug === undefined ? all.length : named)
    }
    const groveTable = {
      'GET /:id/trees': [secured(), load(Grove), authorize('show', Grove), below],
    } satisfies Parameters<typeof routes>[1]
    expect(await probed({}, { groveTable })).toEqual([
      expect.stringMatching(/^GET \/groves\/:id\/trees: \?slug=[\w-]+ shows data of another tenant$/),
    ])
  })

  it('reports a reference to a record that has the column of the tenant, such as a user', async () => {
    const assign: Handler = async (req, res) => {
      const { gardener_id } = req.body as { gardener_id?: string }
      await trees.update(
        record(req, Tree, 'update'),
        { gardener_id: Number(gardener_id) || null },
        { set: ['gardener_id'] },
      )
      res.end()
    }
    const findings = await probed({
      'PUT /:id/gardener': [secured(), load(Tree), authorize('update', Tree), assign],
    })
    expect(findings).toEqual(['Tree.gardener_id refers to a Gardener of another tenant.'])
  })

  it('reports a write of a route that belongs to no resource', async () => {
    const rename: Handler = async (req, res) => {
      const { tree_id } = req.body as { tree_id?: string }
      await withAllTenants(() => trees.asSystem('test').update(Number(tree_id) || 0, { name: 'Renamed' }))
      res.end()
    }
    expect(await probed({}, { moves: { 'POST /': [secured(), rename] } })).toEqual([
      'POST /moves: changed a record of another tenant',
    ])
  })
})

const allTrees = () => database().selectFrom('trees').select(['id', 'name']).execute()
