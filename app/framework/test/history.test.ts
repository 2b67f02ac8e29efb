import { type ColumnType, type Generated, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  cursorRequest,
  field,
  inTransaction,
  load,
  policy,
  policyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
  withDatabase,
} from 'pergola'
import { fieldRules, deleteOldChanges, history } from 'pergola/features'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

interface ContainerTable {
  id: Generated<string>
  title: string
}

interface ShipmentTable {
  id: Generated<number>
  title: string
  body: string | null
  price: string
  weight: Generated<number>
  salary: number | null
  pin: string | null
  api_token: string | null
  tags: ColumnType<unknown, unknown>
  owner_id: number
  created_at: Generated<string>
  deleted_at: ColumnType<string | null, never, never>
  version: ColumnType<number, never, never>
}

declare module 'pergola' {
  interface Tables {
    shipments: ShipmentTable
    'depot.containers': ContainerTable
  }
  interface Policies {
    Shipment: typeof shipmentPolicy
  }
}

const Shipment = resource('Shipment', {
  table: 'shipments',
  input: z.strictObject({
    title: field.string(),
    body: field.text().nullable().default(null),
    price: field.decimal(10, 2),
    salary: field.integer().nullable().default(null),
    api_token: field.string().nullable().default(null),
    tags: field.json().nullable().default(null),
  }),
  columns: ['created_at', 'weight'],
  owner: 'owner_id',
  hidden: ['pin'],
  softDelete: true,
  version: true,
})

const shipmentPolicy = policy(
  Shipment,
  {
    canShow: (ctx, shipment) => ctx.owns(shipment.owner_id) || ctx.hasRole('admin'),
    canCreate: (ctx) => ctx.userId !== null,
    canUpdate: (ctx, shipment) => ctx.owns(shipment.owner_id),
    canDelete: (ctx, shipment) => ctx.owns(shipment.owner_id),
    canRestore: (ctx, shipment) => ctx.owns(shipment.owner_id),
  },
  { fields: fieldRules(Shipment, { salary: { see: (ctx) => ctx.hasRole('admin'), set: () => true } }) },
)
const shipments = repository(Shipment, {
  api: '/api/shipments',
  policy: shipmentPolicy,
  scope: scope(Shipment, { where: (ctx, is) => is('owner_id', '=', ctx.userId) }),
  features: [history],
})
const unrecorded = repository(Shipment, { policy: shipmentPolicy })

const shipmentRoutes = routes('/shipments', {
  'POST /many': [
    secured(),
    async (req, res) => {
      const owner_id = (await policyContext(req)).userId ?? 0
      const drafts = ['a', 'b'].map((title) => ({ title, price: '1.00', salary: null, owner_id }))
      const allowed = []
      for (const draft of drafts)
        allowed.push(await authorizeRecord(req, 'create', Shipment, ...namedValues(draft)))
      res.json(await shipments.saveMany(allowed))
    },
  ],
  'GET /:id': [
    secured(),
    load(Shipment),
    authorize('show', Shipment),
    async (req, res) =>
      void res.json(
        await shipments.history(record(req, Shipment, 'show'), cursorRequest(req, { prefix: 'history' })),
      ),
  ],
  'POST /:id/restored': [
    secured(),
    load(Shipment, { withTrashed: true }),
    authorize('restore', Shipment),
    async (req, res) => void res.json(await shipments.restore(record(req, Shipment, 'restore'))),
  ],
})

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [{ repository: shipments, routes: { shipmentRoutes } }, { repository: users }],
})
const system = shipments.asSystem('a test')
const within = <Result>(work: () => Promise<Result>) => withDatabase(database.db, work)

beforeAll(async () => {
  await sql`create table shipments (
    id bigint generated always as identity primary key,
    title text not null check (title <> 'refused'),
    body text,
    price numeric(10, 2) not null,
    weight bigint not null default 1,
    salary integer,
    pin text,
    api_token text,
    tags jsonb,
    owner_id bigint not null,
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    version integer not null default 1
  )`.execute(database.db)
})
beforeEach(() => database.db.deleteFrom('record_changes').execute())

const stored = () =>
  database.db
    .selectFrom('record_changes')
    .select(['resource', 'record_id', 'action', 'actor_id', 'system', 'request_id', 'changes'])
    .orderBy('id')
    .execute()
const actions = async () => (await stored()).map(({ action, record_id }) => `${action} ${record_id}`)

const [owner, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
const draft = (title = 'A') => ({
  title,
  body: null,
  price: '12.50',
  salary: null,
  pin: null,
  api_token: null,
  owner_id: owner.user.id,
})
const make = async (values: Partial<Parameters<typeof system.insert>[0]> = {}) => {
  const shipment = await within(() => system.insert({ ...draft(), ...values }))
  await database.db.deleteFrom('record_changes').execute()
  return shipment
}
const put = (id: number, json: object, client = owner) =>
  client.put(`/api/shipments/${id}`, { json, headers: { 'if-match': '*' } })
const changes = { title: 'A', price: '12.50' }

describe('the feature history', () => {
  it('records an insert with the caller and the request', async () => {
    const response = await owner.post('/api/shipments', { json: { title: 'A', price: '12.50' } })
    const { id } = response.json() as { id: number }
    expect(await stored()).toEqual([
      {
        resource: 'Shipment',
        record_id: String(id),
        action: 'create',
        actor_id: owner.user.id,
        system: null,
        request_id: response.headers.get('x-request-id'),
        changes: {
          title: { from: null, to: 'A' },
          price: { from: null, to: '12.50' },
          weight: { from: null, to: 1 },
          owner_id: { from: null, to: owner.user.id },
        },
      },
    ])
  })

  it('records only the changed fields of an update', async () => {
    const { id } = await make({ tags: ['a'] })
    const { status, headers } = await put(id, { ...changes, title: 'B', tags: ['b'] })
    expect(status).toBe(200)
    expect(await stored()).toMatchObject([
      {
        action: 'update',
        actor_id: owner.user.id,
        request_id: headers.get('x-request-id'),
        changes: { title: { from: 'A', to: 'B' }, tags: { from: ['a'], to: ['b'] } },
      },
    ])
    expect(Object.keys((await stored())[0]?.changes ?? {})).toEqual(['tags', 'title'])
    await put(id, { ...changes, title: 'B', tags: ['b'] })
    expect(await actions()).toHaveLength(1)
  })

  it('never stores hidden columns and columns that are named like secrets', async () => {
    const { id } = await make({ pin: 'pin-one', api_token: 'token-one' })
    await within(() => system.update(id, { pin: 'pin-two', api_token: 'token-two', title: 'C' }))
    await within(() => system.purge(id))
    const text = JSON.stringify(await stored())
    for (const secret of ['pin-', 'token-', 'api_token']) expect(text).not.toContain(secret)
    expect(await actions()).toEqual([`update ${id}`, `purge ${id}`])
  })

  it('cuts long values, and keeps the digits of numbers', async () => {
    const { id } = await make()
    await within(() => system.update(id, { body: 'x'.repeat(1_234), weight: 2 ** 53 - 1 }))
    expect(await stored()).toMatchObject([
      {
        changes: {
          body: { from: null, to: `${'x'.repeat(1_000)}… (1234 characters)` },
          weight: { from: 1, to: '9007199254740991' },
        },
      },
    ])
  })

  it('records the trash, the return from it and the permanent deletion', async () => {
    const { id } = await make()
    await owner.delete(`/api/shipments/${id}`, { headers: { 'if-match': '*' } })
    await owner.post(`/shipments/${id}/restored`)
    await within(() => system.purge(id))
    expect(await actions()).toEqual([`delete ${id}`, `restore ${id}`, `purge ${id}`])
    expect((await stored())[2]).toMatchObject({
      actor_id: null,
      system: 'a test',
      changes: { title: { from: 'A', to: null }, price: { from: '12.50', to: null } },
    })
  })

  it('names the task that writes', async () => {
    await withDatabase(database.db, () => system.insert(draft()), { system: 'import-shipments' })
    expect(await stored()).toMatchObject([{ actor_id: null, system: 'import-shipments' }])
  })

  it('records nothing for a missing row, a stale version and a failed write', async () => {
    const { id } = await make()
    expect(await within(() => system.update(999_999, { title: 'B' }))).toBeNull()
    expect(await within(() => system.delete(2 ** 60))).toBe(false)
    await expect(within(() => system.update(id, { title: 'refused' }))).rejects.toThrow('check')
    const stale = await owner.put(`/api/shipments/${id}`, { json: changes, headers: { 'if-match': '"7"' } })
    expect(stale.status).toBe(412)
    expect(await stored()).toEqual([])
  })

  it('is rolled back with the write', async () => {
    const { id } = await make()
    const failing = within(() =>
      inTransaction(async () => {
        await system.update(id, { title: 'B' })
        await system.saveMany([draft('C')])
        throw new Error('rolled back')
      }),
    )
    await expect(failing).rejects.toThrow('rolled back')
    expect(await stored()).toEqual([])
  })

  it('rolls back the write if the history can’t be stored', async () => {
    const { id } = await make()
    await database.db.schema.alterTable('record_changes').renameTo('hidden_changes').execute()
    try {
      expect((await put(id, { ...changes, title: 'B' })).status).toBe(500)
    } finally {
      await database.db.schema.alterTable('hidden_changes').renameTo('record_changes').execute()
    }
    expect(await within(() => shipments.asSystem('test').find(id))).toMatchObject({ title: 'A' })
  })

  it('records concurrent writes as a chain, in which each begins with the result of the one before', async () => {
    const { id } = await make()
    const titles = Array.from({ length: 8 }, (_, index) => `T${index}`)
    await Promise.all(titles.map((title) => within(() => system.update(id, { title }))))
    const chain = (await stored()).map((change) => change.changes['title'])
    expect(chain.map((step) => String(step?.to)).toSorted()).toEqual(titles)
    expect(chain.map((step) => step?.from)).toEqual(['A', ...chain.slice(0, -1).map((step) => step?.to)])
  })

  it('contains the values of hooks', async () => {
    const { id } = await make()
    const hooked = repository(Shipment, {
      policy: shipmentPolicy,
      features: [history],
      hooks: { beforeUpdate: () => ({ body: 'from a hook' }) },
    })
    await within(() => hooked.asSystem('a test').update(id, { title: 'B' }))
    expect(await stored()).toMatchObject([
      { action: 'update', changes: { title: { to: 'B' }, body: { from: null, to: 'from a hook' } } },
    ])
  })

  it('records the writes of hooks after the write that they belong to', async () => {
    const again = (body: string) => async (row: { id: number }) =>
      void (await system.update(row.id, { body }))
    const hooked = repository(Shipment, {
      policy: shipmentPolicy,
      features: [history],
      hooks: { afterInsert: again('inserted'), afterUpdate: again('updated') },
    })
    await make()
    await within(async () => {
      const { id } = await hooked.asSystem('a test').insert(draft())
      await hooked.asSystem('a test').update(id, { title: 'B' })
    })
    const update = (changes: object) => ({ action: 'update', changes })
    expect((await stored()).map(({ action, changes }) => ({ action, changes }))).toEqual([
      { action: 'create', changes: expect.not.objectContaining({ body: expect.anything() }) },
      update({ body: { from: null, to: 'inserted' } }),
      update({ title: { from: 'A', to: 'B' } }),
      update({ body: { from: 'inserted', to: 'updated' } }),
    ])
  })

  it('of an update doesn’t block a transaction that refers to the row', async () => {
    const { id } = await make()
    await database.db.transaction().execute(async (transaction) => {
      await sql`select from shipments where id = ${id} for key share`.execute(transaction)
      expect(await within(() => system.update(id, { title: 'B' }))).toMatchObject({ title: 'B' })
    })
    expect(await actions()).toEqual([`update ${id}`])
  })

  it('costs no statement without the option', async () => {
    const { id } = await make()
    const statementsOf = async (work: () => Promise<unknown>) => {
      database.statements.length = 0
      await within(work)
      return [...database.statements]
    }
    const other = unrecorded.asSystem('a test')
    expect(await statementsOf(() => other.update(id, { title: 'B' }))).toHaveLength(1)
    expect(await statementsOf(() => other.delete(id))).toHaveLength(1)
    expect(await statementsOf(() => system.restore(id))).toHaveLength(5)
    expect('history' in unrecorded).toBe(false)
    expectTypeOf(unrecorded).not.toHaveProperty('history')
    expectTypeOf(shipments).toHaveProperty('history')
  })

  it('throws for an authorized write in a unit without a request', async () => {
    const orphaned = routes('/orphaned', {
      'POST /': [
        secured(),
        async (req, res) => {
          const allowed = await authorizeRecord(req, 'create', Shipment, ...namedValues(draft()))
          await withDatabase(database.db, () => shipments.insert(allowed))
          res.end()
        },
      ],
    })
    const other = await testApp({
      database,
      resources: [{ repository: shipments, routes: { orphaned } }, { repository: users }],
    })
    expect((await (await other.signInAs(owner.user.email)).post('/orphaned')).status).toBe(500)
    expect(await stored()).toEqual([])
  })
})

describe('the history of many records', () => {
  const makeMany = async (count: number) => {
    const rows = Array.from({ length: count }, (_, index) => draft(`Many ${index}`))
    return within(() => system.saveMany(rows))
  }

  it('is one statement for each statement of saveMany', async () => {
    database.statements.length = 0
    const ids = await makeMany(2_500)
    const of = (start: string) => database.statements.filter((text) => text.trim().startsWith(start))
    expect(of('insert into record_changes')).toHaveLength(of('insert into "shipments"').length)
    expect(await actions()).toEqual(ids.map((id) => `create ${id}`))
  })

  it('is recorded for the drafts of a request', async () => {
    const ids = (await owner.post('/shipments/many')).json() as number[]
    expect(await stored()).toMatchObject(
      ids.map((id) => ({ record_id: String(id), action: 'create', actor_id: owner.user.id })),
    )
  })

  it('is recorded by upsertMany, only for rows that change', async () => {
    const ids = await makeMany(3)
    await database.db.deleteFrom('record_changes').execute()
    const rows = ids.map((id, index) => ({ id, title: index === 1 ? 'Many 1' : `New ${index}` }))
    await within(() => system.upsertMany(rows, { columns: ['title'] }))
    expect(await stored()).toMatchObject([
      { record_id: String(ids[0]), action: 'update', changes: { title: { from: 'Many 0', to: 'New 0' } } },
      { record_id: String(ids[2]), action: 'update', changes: { title: { from: 'Many 2', to: 'New 2' } } },
    ])
  })

  it('is recorded by the updates and deletes of ranges', async () => {
    const ids = await makeMany(5)
    await database.db.deleteFrom('record_changes').execute()
    const options = { where: sql<boolean>`id >= ${ids[0]}` }
    await within(async () => {
      for await (const range of system.inBatches(3, { where: () => options.where }))
        await range.update({ weight: 7 })
      for await (const range of system.inBatches(3, { where: () => options.where })) await range.delete()
    })
    const sorted = ids.toSorted((one, other) => one - other)
    expect((await actions()).toSorted()).toEqual(
      [...sorted.map((id) => `delete ${id}`), ...sorted.map((id) => `update ${id}`)].toSorted(),
    )
    expect((await stored())[0]).toMatchObject({ changes: { weight: { from: 1, to: 7 } } })
  })

  it('contains exactly the rows that a range wrote, also if another transaction changed one meanwhile', async () => {
    const ids = await makeMany(2)
    const [first = 0] = ids
    await database.db.deleteFrom('record_changes').execute()
    await database.db
      .transaction()
      .execute(async (transaction) => {
        await transaction.updateTable('shipments').set({ title: 'Moved' }).where('id', '=', first).execute()
        const range = within(async () => {
          const walk = system.inBatches(10, {
            where: (is) => is.and([is('id', 'in', ids), is('title', 'like', 'Many%')]),
          })
          return (await walk.nextBatch())?.update({ weight: 9 })
        })
        await lockWait(database.db)
        return { range }
      })
      .then(async ({ range }) => expect(await range).toBe(1))
    expect(await actions()).toEqual([`update ${ids[1]}`])
  })
})

describe('the history of a record with a UUID, in a schema', () => {
  it('is recorded for single writes, for many and for ranges', async () => {
    await sql`create schema depot`.execute(database.db)
    await sql`create table depot.containers (id uuid primary key default gen_random_uuid(), title text)`.execute(
      database.db,
    )
    const Container = resource('Container', {
      table: 'depot.containers',
      id: 'uuid',
      input: z.strictObject({ title: field.string() }),
    })
    const containers = repository(Container, { features: [history] }).asSystem('a test')
    const found = await within(async () => {
      const [id = ''] = await containers.saveMany([{ title: 'A' }])
      await containers.update(id, { title: 'B' })
      await containers.upsertMany([{ id: id.toUpperCase(), title: 'C' }], { columns: ['title'] })
      for await (const range of containers.inBatches(10)) await range.update({ title: 'D' })
      await containers.delete(id)
      return containers.history(id)
    })
    expect(found.content.map(({ action, changes: [change] }) => [action, change?.to])).toEqual([
      ['delete', null],
      ['update', 'D'],
      ['update', 'C'],
      ['update', 'B'],
      ['create', 'A'],
    ])
  })
})

describe('history()', () => {
  const historyOf = async (client: typeof owner, id: number, query = '') => {
    const response = await client.get(`/shipments/${id}${query}`)
    return { status: response.status, page: response.json() as { content: Change[]; [key: string]: unknown } }
  }
  interface Change {
    action: string
    actor_id: number | null
    changes: { field: string; from: unknown; to: unknown }[]
  }
  const fieldsOf = (page: { content: Change[] }) =>
    page.content.flatMap((change) => change.changes.map((one) => one.field))

  it('returns the changes newest first, page by page', async () => {
    const { id } = await make()
    for (const title of ['B', 'C', 'D']) await put(id, { ...changes, title })
    const first = (await historyOf(owner, id, '?history_size=2')).page
    expect(first.content.map((change) => change.changes[0]?.to)).toEqual(['D', 'C'])
    const next = await historyOf(owner, id, `?history_size=2&history_cursor=${String(first['next_cursor'])}`)
    expect(next.page.content.map((change) => change.changes[0]?.to)).toEqual(['B'])
    expect(next.page.content[0]).toMatchObject({ action: 'update', actor_id: owner.user.id })
  })

  it('leaves out fields that the policy hides from the caller', async () => {
    const { id } = await make()
    await within(() => system.update(id, { salary: 90_000, title: 'B' }))
    expect(fieldsOf((await historyOf(owner, id)).page)).toEqual(['title'])
    expect(JSON.stringify((await historyOf(owner, id)).page)).not.toContain('90000')
    expect(fieldsOf((await historyOf(admin, id)).page).toSorted()).toEqual(['salary', 'title'])
  })

  it('leaves out columns that became hidden after they were recorded', async () => {
    const { id } = await make()
    await sql`insert into record_changes (resource, record_id, action, changes)
      values ('Shipment', ${String(id)}, 'update', '{"pin": {"from": 1, "to": 2}}')`.execute(database.db)
    expect(fieldsOf((await historyOf(admin, id)).page)).toEqual([])
    const { content } = await within(() => system.history(id))
    expect(content).toMatchObject([{ changes: [] }])
  })

  it('is closed to callers who may not see the record', async () => {
    const { id } = await make()
    expect((await (await app.newcomer()).get(`/shipments/${id}`)).status).toBe(404)
    const shipment = await within(() => shipments.asSystem('test').find(id))
    await expect(within(() => shipments.history(shipment as never))).rejects.toThrow(
      "'show' was not authorized",
    )
  })

  it('remains after the record is deleted, for asSystem', async () => {
    const { id } = await make()
    await within(() => system.purge(id))
    expect((await admin.get(`/shipments/${id}`)).status).toBe(404)
    expect((await within(() => system.history(id))).content).toMatchObject([{ action: 'purge' }])
  })
})

describe('deleteOldChanges', () => {
  it('deletes the changes that are older than these days, in batches', async () => {
    await sql`insert into record_changes (resource, record_id, action, changes, created_at)
      select 'Shipment', n, 'create', '{}', now() - make_interval(days => n) + interval '1 hour' from generate_series(1, 5003) n`.execute(
      database.db,
    )
    const prune = () => within(() => deleteOldChanges(1))
    expect([await prune(), await prune(), await prune()]).toEqual([5_000, 2, 0])
    expect(await actions()).toEqual(['create 1'])
  })
})
