import { describe, expect, it } from 'vitest'
import { database, type Handler, publicRoute, routes, secured, withTenant } from 'pergola'
import { probeTenants, type TestApp, testDatabase } from 'pergola/testing'
import {
  createTenantTables,
  groves,
  makeGrove,
  makeMember,
  makeTree,
  tenantOf,
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

async function probed(table: Parameters<typeof routes>[1] = {}) {
  const testDb = await testDatabase()
  await createTenantTables(testDb.db)
  const resources = [
    { repository: trees, routes: { treeRoutes: routes('/trees', table) } },
    { repository: groves },
    { repository: users },
  ]
  const app = await testApp({ database: testDb, resources, tenantOf })
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

const allTrees = () => database().selectFrom('trees').select(['id', 'name']).execute()
