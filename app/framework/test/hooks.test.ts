import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  authorize,
  authorizeRecord,
  database,
  type Hooks,
  inTransaction,
  load,
  policy,
  record,
  repository,
  routes,
  secured,
  withDatabase,
} from 'pergola'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { lockWait, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const calls: string[] = []
/** The hook that throws, if any. */
let breaking: keyof Hooks<typeof Leaf> | null = null

const inside = () => (database().isTransaction ? 'inside' : 'outside')
function noteCall(hook: keyof Hooks<typeof Leaf>, ...args: unknown[]): void {
  calls.push([hook, ...args, inside()].join(' '))
  if (hook === breaking) throw new Error(`${hook} broke.`)
}

const leaves = repository(Leaf, {
  api: '/api/leaves',
  policy: leafPolicy,
  scope: leafScope,
  hooks: {
    beforeInsert(values) {
      noteCall('beforeInsert', values.title)
      return { note: `note of ${values.title}` }
    },
    afterInsert: (row) => noteCall('afterInsert', row.title, row.note),
    async beforeUpdate(row, changes) {
      noteCall('beforeUpdate', row.title, changes.title)
      await Promise.resolve()
      return changes.title === undefined ? undefined : { note: `note of ${changes.title}` }
    },
    afterUpdate: (row, before) => noteCall('afterUpdate', before.title, row.title, row.note),
    beforeDelete: (row) => noteCall('beforeDelete', row.title),
    afterDelete: (row) => noteCall('afterDelete', row.title),
    afterRestore: (row) => noteCall('afterRestore', row.title),
    afterCommit: (row, write) => noteCall('afterCommit', row.title, write),
  },
})
const all = leaves.asSystem('test')
const testDb = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(testDb.db, work)

beforeAll(() => createLeaves(testDb.db))
beforeEach(() => {
  calls.length = 0
  breaking = null
})

const make = async (title = 'Old') => {
  const leaf = await within(() => all.insert({ owner_id: 1, title }))
  calls.length = 0
  return leaf
}

const INSERTED = (title: string) => [
  `beforeInsert ${title} inside`,
  `afterInsert ${title} note of ${title} inside`,
]

describe('hooks', () => {
  it('run before and after each system write, within its transaction, and after its commit', async () => {
    const { id } = await within(() => all.insert({ owner_id: 1, title: 'Old' }))
    expect(calls.splice(0)).toEqual([...INSERTED('Old'), 'afterCommit Old insert outside'])
    await within(() => all.update(id, { title: 'New' }))
    expect(calls.splice(0)).toEqual([
      'beforeUpdate Old New inside',
      'afterUpdate Old New note of New inside',
      'afterCommit New update outside',
    ])
    await within(() => all.delete(id))
    expect(calls.splice(0)).toEqual([
      'beforeDelete New inside',
      'afterDelete New inside',
      'afterCommit New delete outside',
    ])
    await within(() => all.restore(id))
    expect(calls.splice(0)).toEqual(['afterRestore New inside', 'afterCommit New restore outside'])
    await within(() => all.purge(id))
    expect(calls.splice(0)).toHaveLength(3)
  })

  it('run for each row of saveMany, and after the commit', async () => {
    await within(() =>
      all.saveMany([
        { owner_id: 1, title: 'A' },
        { owner_id: 1, title: 'B' },
      ]),
    )
    expect(calls).toEqual([
      ...INSERTED('A'),
      ...INSERTED('B'),
      'afterCommit A insert outside',
      'afterCommit B insert outside',
    ])
  })

  it('don’t run for a missing row or for a row that is already in the trash', async () => {
    const { id } = await make()
    await within(() => all.delete(id))
    calls.length = 0
    await within(async () => {
      expect(await all.update(id, { title: 'New' })).toBeNull()
      expect(await all.delete(id)).toBe(false)
      expect(await all.purge(id)).toBe(true)
      expect(await all.purge(id)).toBe(false)
    })
    expect(calls).toEqual([])
  })

  it.each(['beforeInsert', 'afterInsert'] as const)('roll the insert back if %s throws', async (hook) => {
    breaking = hook
    const count = await within(() => leaves.asSystem('test').count())
    await expect(within(() => all.insert({ owner_id: 1, title: 'No' }))).rejects.toThrow(`${hook} broke.`)
    await expect(within(() => all.saveMany([{ owner_id: 1, title: 'No' }]))).rejects.toThrow(`${hook} broke.`)
    expect(await within(() => leaves.asSystem('test').count())).toBe(count)
    expect(calls.filter((line) => line.startsWith('afterCommit'))).toEqual([])
  })

  it.each(['beforeUpdate', 'afterUpdate', 'beforeDelete', 'afterDelete'] as const)(
    'roll the write back if %s throws',
    async (hook) => {
      const leaf = await make()
      breaking = hook
      const write = (): Promise<unknown> =>
        hook.endsWith('Update') ? all.update(leaf.id, { title: 'New' }) : all.delete(leaf.id)
      await expect(within(write)).rejects.toThrow(`${hook} broke.`)
      expect(await within(() => leaves.asSystem('test').find(leaf.id))).toEqual(leaf)
    },
  )

  it('keep the writes if afterCommit throws, and throw its error', async () => {
    const leaf = await make()
    breaking = 'afterCommit'
    await expect(within(() => all.update(leaf.id, { title: 'New' }))).rejects.toThrow('afterCommit broke.')
    expect((await within(() => leaves.asSystem('test').find(leaf.id)))?.title).toBe('New')
  })

  it('don’t call afterCommit if an outer transaction is rolled back', async () => {
    const leaf = await make()
    const work = within(() =>
      inTransaction(async () => {
        await all.update(leaf.id, { title: 'New' })
        throw new Error('No.')
      }),
    )
    await expect(work).rejects.toThrow('No.')
    expect(calls.filter((line) => line.startsWith('afterCommit'))).toEqual([])
    expect(calls).toHaveLength(2)
  })

  it('make upsertMany throw, because it would not run them', async () => {
    const { id } = await make()
    const upsert = (all as unknown as { upsertMany: (rows: object[], how: object) => Promise<void> })
      .upsertMany
    await expect(within(() => upsert([{ id, note: 'x' }], { columns: ['note'] }))).rejects.toThrow(
      'Leaf has hooks',
    )
  })

  it('make inBatches throw too', () => {
    const { inBatches } = all as unknown as { inBatches: (size: number) => unknown }
    expect(() => inBatches(10)).toThrow('Leaf has hooks, which inBatches would not run')
  })

  it('receive a row that is locked until the write', async () => {
    const { id } = await make()
    const plain = repository(Leaf, {}).asSystem('test')
    let theirs: Promise<unknown> = Promise.resolve()
    const slow = repository(Leaf, {
      hooks: {
        async beforeUpdate(row) {
          theirs = within(() => plain.update(id, { count: row.count + 10 }))
          await lockWait(testDb.db)
          return { count: row.count + 1 }
        },
      },
    })
    await within(() => slow.asSystem('test').update(id, { title: 'New' }))
    await theirs
    expect(await within(() => leaves.asSystem('test').find(id))).toMatchObject({ title: 'New', count: 10 })
  })

  it('that write their own row make the write fail', async () => {
    const plain = repository(Leaf, {}).asSystem('test')
    const meddling = repository(Leaf, {
      hooks: {
        async beforeUpdate(row) {
          await plain.insert({ owner_id: 1, title: 'From a hook' })
          await plain.delete(row.id)
        },
        beforeDelete: (row) => plain.delete(row.id),
      },
    }).asSystem('test')
    const leaf = await make()
    for (const write of [() => meddling.update(leaf.id, { title: 'New' }), () => meddling.delete(leaf.id)])
      await expect(within<unknown>(write)).rejects.toThrow('A hook of Leaf wrote the row it was called for')
    expect(await within(() => leaves.asSystem('test').find(leaf.id))).toEqual(leaf)
    expect(await within(() => plain.count({ where: (is) => is('title', '=', 'From a hook') }))).toBe(0)
  })

  it('add values, which override those of the caller', async () => {
    const last = repository(Leaf, {
      hooks: { beforeInsert: () => ({ title: 'Theirs' }), beforeUpdate: () => ({ title: 'Theirs too' }) },
    }).asSystem('test')
    const { id, title } = await within(() => last.insert({ owner_id: 1, title: 'Ours', note: 'kept' }))
    expect(title).toBe('Theirs')
    const updated = await within(() => last.update(id, { title: 'Ours', count: 7 }))
    expect(updated).toMatchObject({ title: 'Theirs too', note: 'kept', count: 7 })
  })

  it('may write with the same repository, within the same transaction', async () => {
    const copying = repository(Leaf, {
      hooks: {
        async afterInsert({ title }) {
          if (title === 'One') await copying.asSystem('a copy').insert({ owner_id: 1, title: 'Two' })
          if (title === 'Two') throw new Error('Not two.')
        },
      },
    })
    const work = within(() => copying.asSystem('test').insert({ owner_id: 1, title: 'One' }))
    await expect(work).rejects.toThrow('Not two.')
    const stored = await within(() => all.count({ where: (is) => is('title', 'in', ['One', 'Two']) }))
    expect(stored).toBe(0)
  })

  it('open no transaction if there are none', async () => {
    const plain = repository(Leaf, {}).asSystem('test')
    const { id } = await make()
    testDb.statements.length = 0
    await within(() => plain.update(id, { title: 'New' }))
    expect(testDb.statements).toHaveLength(1)
  })
})

describe('hooks of authorized writes', async () => {
  const leafRoutes = routes('/leaves', {
    'POST /': [
      secured(),
      async (req, res) => {
        const { title } = req.body as { title: string }
        res.json(
          await leaves.insert(await authorizeRecord(req, 'create', Leaf, { title }, { set: ['title'] })),
        )
      },
    ],
    'POST /many': [
      secured(),
      async (req, res) => {
        const drafts = async function* () {
          for (const title of (req.body as { titles: string }).titles.split(' '))
            yield await authorizeRecord(req, 'create', Leaf, { title }, { set: ['title'] })
        }
        res.json(await leaves.saveMany(drafts()))
      },
    ],
    'PUT /:id': [
      secured(),
      load(Leaf),
      authorize('update', Leaf),
      async (req, res) => {
        const { title } = req.body as { title: string }
        res.json(await leaves.update(record(req, Leaf, 'update'), { title }, { set: ['title'] }))
      },
    ],
  })
  const resources = [{ repository: leaves, routes: { leafRoutes } }, { repository: users }]
  const strict = policy(Leaf, {
    ...leafPolicy.rules,
    canCreate: (_ctx, draft) => draft.note !== 'note of No',
    canBecome: (_ctx, _before, after) => after.note !== 'note of No',
  })
  const app = await testApp({ database: testDb, resources, policies: [[Leaf, strict]] })
  const owner = await within(() => makeUser())
  const client = await app.signInAs(owner.email)
  const makeOwn = () => within(() => all.insert({ owner_id: owner.id, title: 'Old' }))

  it('run, and the policy decides on their values', async () => {
    const form = { title: 'No' }
    const { id } = await makeOwn()
    calls.length = 0
    expect((await client.post('/leaves', { form })).status).toBe(404)
    expect((await client.put(`/leaves/${id}`, { form })).status).toBe(422)
    expect((await within(() => leaves.asSystem('test').find(id)))?.title).toBe('Old')
    expect(calls).toEqual(['beforeInsert No inside', 'beforeUpdate Old No inside'])
    const created = await client.post('/leaves', { form: { title: 'Yes' } })
    expect(created.json()).toMatchObject({ title: 'Yes', note: 'note of Yes', owner_id: owner.id })
    expect((await client.put(`/leaves/${id}`, { form: { title: 'Yes' } })).json()).toMatchObject({
      note: 'note of Yes',
    })
  })

  it('run for each draft of saveMany', async () => {
    expect((await client.post('/leaves/many', { form: { titles: 'A B' } })).status).toBe(200)
    expect(calls).toEqual([
      ...INSERTED('A'),
      ...INSERTED('B'),
      'afterCommit A insert outside',
      'afterCommit B insert outside',
    ])
    expect((await client.post('/leaves/many', { form: { titles: 'C No' } })).status).toBe(404)
    expect(await within(() => all.count({ where: (is) => is('title', '=', 'C') }))).toBe(0)
  })

  it('pass frozen values to the policy', async () => {
    const greedy = policy(Leaf, {
      canCreate: (_ctx, draft) => !Reflect.set(draft, 'title', 'Stolen'),
    })
    const strictApp = await testApp({ database: testDb, resources, policies: [[Leaf, greedy]] })
    const created = await (await strictApp.signInAs(owner.email)).post('/leaves', { form: { title: 'Mine' } })
    expect(created.json()).toMatchObject({ title: 'Mine' })
  })

  it('run once, for the written version, if the row changed after the decision', async () => {
    const { id } = await makeOwn()
    let decisions = 0
    const meddling = policy(Leaf, {
      ...leafPolicy.rules,
      canUpdate: async () => {
        if (++decisions === 1)
          await repository(Leaf, {}).asSystem('meanwhile').update(id, { title: 'Meanwhile' })
        return true
      },
    })
    const raced = await testApp({ database: testDb, resources, policies: [[Leaf, meddling]] })
    const racer = await raced.signInAs(owner.email)
    calls.length = 0
    expect((await racer.put(`/leaves/${id}`, { form: { title: 'New' } })).status).toBe(200)
    expect(calls).toEqual([
      'beforeUpdate Meanwhile New inside',
      'afterUpdate Meanwhile New note of New inside',
      'afterCommit New update outside',
    ])
  })
})

describe('finders', () => {
  it('can’t have the name of a method', () => {
    const clash = (name: string) => () => repository(Leaf, { finders: { [name]: () => null } as never })
    for (const name of ['page', 'findAll', 'insert', 'purge', 'withTrashed', 'upsertMany', 'then'])
      expect(clash(name)).toThrow(`Leaf: the finder '${name}' has the name of a listing's method`)
    expect(clash('byOwner')).not.toThrow()
  })
})
