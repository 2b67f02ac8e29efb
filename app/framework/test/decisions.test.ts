import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  authorize,
  type Authorized,
  authorizeRecord,
  contextOf,
  database,
  type Handler,
  inTransaction,
  load,
  policy,
  policyContext,
  publicRoute,
  record,
  type Routes,
  routes,
  scope,
  scoped,
  withDatabase,
} from 'pergola'
import type { Replacements } from 'pergola/app'
import { makeNote, Note, notes, noteScope } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { testDatabase } from 'pergola/testing'
import { makeUser, users, userScope } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

const testDb = await testDatabase()

/** Handlers with mistakes. */
const careless: Record<string, Handler> = {
  async 'write a row without a decision'(req) {
    const note = await notes.asSystem('test').find(Number(req.params['id']))
    await notes.update(note as never, { title: 'Stolen' }, { set: ['title'] })
  },
  async 'write a copy of an authorized row'(req) {
    const note = record(req, Note, 'show')
    await notes.update({ ...note } as never, { title: 'Stolen' }, { set: ['title'] })
  },
  async 'write with the decision on another action'(req) {
    await notes.update(record(req, Note, 'show') as never, { title: 'Stolen' }, { set: ['title'] })
  },
  async 'delete with the decision on an update'(req) {
    const note = await authorizeRecord(req, 'update', Note, record(req, Note, 'show'))
    await notes.delete(note as never)
  },
  async 'write the row instead of the one that authorizeRecord returned'(req) {
    const note = await notes.asSystem('test').find(Number(req.params['id']))
    await authorizeRecord(req, 'update', Note, note)
    await notes.update(note as never, { title: 'Stolen' }, { set: ['title'] })
  },
  async 'write with the decision on a row of another resource'(req) {
    const [user] = await users.asSystem('test').findAll()
    await notes.update(
      (await authorizeRecord(req, 'update', users.resource, user)) as never,
      { title: 'S' },
      { set: ['title'] },
    )
  },
  async 'insert a draft without a decision'() {
    await notes.insert({ title: 'T', body: 'B', author_id: 1 } as never)
  },
  async 'go around the repository'(req) {
    const update = database().updateTable('notes').set({ title: 'Stolen' })
    await update.where('id', '=', Number(req.params['id'])).execute()
  },
  async 'go around the repository in a with clause'(req) {
    const id = Number(req.params['id'])
    const gone = database().with('gone', (db) => db.deleteFrom('notes').where('id', '=', id).returning('id'))
    await gone.selectFrom('gone').selectAll().execute()
  },
  async 'ask for a record that the route didn’t authorize'(req) {
    await notes.update(record(req, Note, 'update'), { title: 'Stolen' }, { set: ['title'] })
  },
  async 'change an immutable column'(req) {
    await notes.update(
      await authorizeRecord(req, 'update', Note, record(req, Note, 'show')),
      {
        author_id: 1,
      },
      { set: ['author_id'] },
    )
  },
}

const carelessRoutes = routes(
  '/careless',
  Object.fromEntries(
    Object.values(careless).map((handler, index) => [
      `GET /${index}/:id` as const,
      [publicRoute(), load(Note), authorize('show', Note), handler] as const,
    ]),
  ),
)

describe('a handler that writes without a decision', () => {
  const allowing = policy(Note, { canShow: () => true, canUpdate: () => true })
  const allowingUsers = policy(users.resource, { canUpdate: () => true })
  it.each(Object.keys(careless))('gets an error and sends no write: %s', async (name) => {
    const policies = [[Note, allowing] as const, [users.resource, allowingUsers] as const]
    const app = await appWith({ routes: carelessRoutes, policies })
    const note = await app.within(() => makeNote())
    app.statements.length = 0
    const path = `/careless/${Object.keys(careless).indexOf(name)}/${note.id}`
    expect((await app.guest.get(path)).status).toBe(500)
    expect(app.statements.length).toBeGreaterThan(0)
    expect(app.statements.filter((sql) => !sql.startsWith('select'))).toEqual([])
  })
})

describe('a write', () => {
  const update: Handler = async (req, res) =>
    void res.json(await notes.update(record(req, Note, 'update'), { title: 'New' }, { set: ['title'] }))
  const destroy: Handler = async (req, res) => {
    await notes.delete(record(req, Note, 'delete'))
    res.end()
  }
  const writing = routes('/writing', {
    'GET /:id': [publicRoute(), load(Note), authorize('update', Note), update],
    'DELETE /:id': [publicRoute(), load(Note), authorize('delete', Note), destroy],
  })
  const change = (id: number, values: object) => notes.asSystem('meanwhile').update(id, values)

  /** Returns an application in which another request changes the row during each call of its policy. */
  const raced = async (owner: number, meanwhile: (id: number, attempt: number) => Promise<unknown>) => {
    let attempts = 0
    const rule = async (_ctx: unknown, note: Note) => {
      // The row is locked while the write decides again.
      if (!database().isTransaction) await inDatabase(() => meanwhile(note.id, ++attempts))
      return note.author_id === owner
    }
    return appWith({
      routes: writing,
      policies: [[Note, policy(Note, { canUpdate: rule, canDelete: rule })]],
    })
  }
  const setUp = () => inDatabase(async () => ({ owner: await makeUser(), other: await makeUser() }))

  it('decides again on a row that another request changed, and keeps that change', async () => {
    const { owner } = await setUp()
    const app = await raced(
      owner.id,
      async (id, attempt) => attempt === 1 && change(id, { body: 'Meanwhile' }),
    )
    const note = await app.within(() => makeNote({ author_id: owner.id }))
    expect((await app.guest.get(`/writing/${note.id}`)).json()).toMatchObject({
      title: 'New',
      body: 'Meanwhile',
    })
  })

  it('is retried with the same decision after a serialization failure', async () => {
    let attempts = 0
    const retried = routes('/retried', {
      'GET /:id': [
        publicRoute(),
        load(Note),
        authorize('update', Note),
        async (req, res) => {
          const note = record(req, Note, 'update')
          const work = async () => {
            await notes.asSystem('test').find(note.id)
            if (++attempts === 1) await inDatabase(() => change(note.id, { body: 'Meanwhile' }))
            return notes.update(note, { title: 'New' }, { set: ['title'] })
          }
          res.json(await inTransaction(work, { isolation: 'repeatable read' }))
        },
      ],
    })
    const app = await appWith({
      routes: retried,
      policies: [[Note, policy(Note, { canUpdate: () => true })]],
    })
    const note = await app.within(() => makeNote())
    const answer = await app.guest.get(`/retried/${note.id}`)
    expect(answer.json()).toMatchObject({ title: 'New', body: 'Meanwhile' })
    expect(attempts).toBe(2)
  })

  it('is refused if the transaction of its decision was rolled back', async () => {
    let permission = 0
    const granted = async () => (await notes.asSystem('test').find(permission)) !== null
    const writeAfterRollback: Handler = async (req, res) => {
      let note: Authorized<'update', typeof Note> | undefined
      const work = async () => {
        permission = (await makeNote({ title: 'Permission' })).id
        note = await authorizeRecord(
          req,
          'update',
          Note,
          await notes.asSystem('test').find(Number(req.params['id'])),
        )
        throw new Error('rolled back')
      }
      await expect(inTransaction(work)).rejects.toThrow('rolled back')
      const write = async () => note && notes.update(note, { title: 'Written' }, { set: ['title'] })
      await expect(write()).rejects.toThrow("'update' was not authorized on this Note.")
      res.json('refused')
    }
    const app = await appWith({
      routes: routes('/rolled-back', { 'GET /:id': [publicRoute(), writeAfterRollback] }),
      policies: [[Note, policy(Note, { canUpdate: granted })]],
    })
    const note = await app.within(() => makeNote({ title: 'Old' }))
    expect((await app.guest.get(`/rolled-back/${note.id}`)).json()).toBe('refused')
    expect(await app.within(() => notes.asSystem('test').find(note.id))).toMatchObject({ title: 'Old' })
  })

  it('stores the caller as the owner of a draft, whatever the handler passes', async () => {
    const { other } = await setUp()
    const app = await appWith({
      routes: routes('/owned', {
        'POST /': [
          publicRoute(),
          async (req, res) => {
            const draft = { title: 'Mine', body: '', author_id: other.id }
            res.json(await notes.insert(await authorizeRecord(req, 'create', Note, ...namedValues(draft))))
          },
        ],
      }),
    })
    const caller = await app.newcomer()
    expect((await caller.post('/owned', { form: {} })).json()).toMatchObject({ author_id: caller.user.id })
  })

  it('accepts each decision of the route', async () => {
    const both = routes('/both', {
      'GET /:id': [
        publicRoute(),
        load(Note),
        authorize('update', Note),
        authorize('delete', Note),
        async (req, res) => {
          await notes.update(record(req, Note, 'update'), { title: 'Last words' }, { set: ['title'] })
          await notes.delete(record(req, Note, 'delete'))
          res.end()
        },
      ],
    })
    const rules = { canUpdate: () => true, canDelete: () => true }
    const app = await appWith({ routes: both, policies: [[Note, policy(Note, rules)]] })
    const note = await app.within(() => makeNote())
    expect((await app.guest.get(`/both/${note.id}`)).status).toBe(200)
    expect(await app.within(() => notes.asSystem('test').find(note.id))).toBeNull()
  })

  it('stores the changes of the call, even if the object changes while a rule runs', async () => {
    const { owner } = await setUp()
    const changes = { title: 'New', body: 'New' }
    const rules = { canUpdate: () => true, canBecome: () => delete (changes as { body?: string }).body }
    const late = routes('/late', {
      'GET /:id': [
        publicRoute(),
        load(Note),
        authorize('update', Note),
        async (req, res) =>
          void res.json(await notes.update(record(req, Note, 'update'), ...namedValues(changes))),
      ],
    })
    const app = await appWith({ routes: late, policies: [[Note, policy(Note, rules)]] })
    const note = await app.within(() => makeNote({ author_id: owner.id }))
    expect((await app.guest.get(`/late/${note.id}`)).json()).toMatchObject({ title: 'New', body: 'New' })
  })

  it('is denied if the owner changed after the decision', async () => {
    const { owner, other } = await setUp()
    const app = await raced(owner.id, (id) => change(id, { author_id: other.id }))
    for (const method of ['GET', 'DELETE']) {
      const note = await app.within(() => makeNote({ author_id: owner.id, title: 'Old' }))
      expect((await app.guest.send(method, `/writing/${note.id}`)).status).toBe(404)
      expect(await app.within(() => notes.asSystem('test').find(note.id))).toMatchObject({
        title: 'Old',
        author_id: other.id,
      })
    }
  })

  it('returns 404 if the row no longer exists, and 409 if it keeps changing', async () => {
    const { owner } = await setUp()
    const gone = await raced(owner.id, (id) => notes.asSystem('meanwhile').delete(id))
    const busy = await raced(owner.id, () => Promise.resolve())
    const note = () => inDatabase(() => makeNote({ author_id: owner.id }))
    expect((await gone.guest.get(`/writing/${(await note()).id}`)).status).toBe(404)
    // Another version in each attempt: the update finds no row.
    await sql`create function no_row() returns trigger language plpgsql as 'begin return null; end'`.execute(
      testDb.db,
    )
    await sql`create trigger no_row before update on notes for each row execute function no_row()`.execute(
      testDb.db,
    )
    expect((await busy.guest.get(`/writing/${(await note()).id}`)).status).toBe(409)
    await sql`drop trigger no_row on notes`.execute(testDb.db)
  })
})

describe('authorizeRecord for a copy of a row', () => {
  const rename: Handler = async (req, res) => {
    const { userId } = await policyContext(req)
    const copy = { ...record(req, Note, 'show'), author_id: userId! }
    const note = await authorizeRecord(req, 'update', Note, copy)
    res.json(await notes.update(note, { title: 'New' }, { set: ['title'] }))
  }
  const table = routes('/copies', {
    'PUT /:id': [publicRoute(), load(Note), authorize('show', Note), rename],
  })

  it('decides on the stored row', async () => {
    const app = await appWith({ routes: table })
    const [owner, stranger] = [await app.newcomer(), await app.newcomer()]
    const note = await app.within(() => makeNote({ author_id: owner.user.id, title: 'Old' }))
    expect((await stranger.put(`/copies/${note.id}`, { json: {} })).status).toBe(404)
    expect(await app.within(() => notes.asSystem('test').find(note.id))).toEqual(note)
    expect((await owner.put(`/copies/${note.id}`, { json: {} })).json()).toEqual({ ...note, title: 'New' })
  })
})

describe('a broken policy', () => {
  it('denies if a rule throws, returns 1, or is missing', async () => {
    const note = await inDatabase(() => makeNote())
    const thrown = () => {
      throw new Error('The rule broke.')
    }
    const policies = [
      policy(Note, { canShow: thrown }),
      policy(Note, { canShow: () => 1 as never }),
      policy(Note, {}),
    ]
    for (const broken of policies) {
      const app = await appWith({ policies: [[Note, broken]] })
      expect((await app.guest.get(`/api/notes/${note.id}`)).status).toBe(404)
    }
  })
})

describe('canCreate', () => {
  it('is called before the body is read, and again with the values to store', async () => {
    const rows: object[] = []
    const rules = {
      canCreate: (_ctx: unknown, draft: object) =>
        rows.push(draft) > 0 && !('title' in draft && draft.title === 'No'),
    }
    const app = await appWith({ policies: [[Note, policy(Note, { ...rules, canShow: () => true })]] })
    const user = await app.within(() => makeUser())
    const client = await app.signInAs(user.email)
    expect((await client.post('/api/notes', { json: { title: 'Yes', body: 'B' } })).status).toBe(201)
    expect(rows).toEqual([
      { author_id: user.id },
      { author_id: user.id, title: 'Yes', body: 'B', published: false },
    ])
    expect((await client.post('/api/notes', { json: { title: 'No', body: 'B' } })).status).toBe(422)
  })
})

describe('a scope', () => {
  const listOf = async (where: unknown, as = 'a user') => {
    const app = await appWith({ scopes: [[Note, scope(Note, { where: where as never })]] })
    await app.within(() => makeNote({ title: as }))
    const answer = await app.guest.get('/api/notes')
    return {
      status: answer.status,
      total: answer.status === 200 ? (answer.json() as { total_elements: number }).total_elements : null,
    }
  }

  it.each([
    ['returns another value', () => true],
    ['returns nothing', () => undefined],
    ['returns a promise', async (_ctx: unknown, is: { lit: (value: boolean) => object }) => is.lit(true)],
  ])('that %s makes the list empty', async (_, where) => {
    expect(await listOf(where)).toEqual({ status: 200, total: 0 })
  })

  it('returns 500 if its query fails', async () => {
    const broken = (_ctx: unknown, is: (...parts: unknown[]) => object) => is('no_such_column', '=', 1)
    expect((await listOf(broken)).status).toBe(500)
  })

  it('is parenthesized, even as raw SQL', async () => {
    const app = await appWith({})
    const [one, two] = await app.within(() => Promise.all([makeNote(), makeNote()]))
    const loose = scope(Note, { where: () => sql<boolean>`notes.id = ${one?.id} or notes.id = ${two?.id}` })
    const ctx = contextOf(null, { registry: { policies: new Map(), scopes: new Map([[Note, loose]]) } })
    const listed = await app.within(() =>
      notes.visibleTo(ctx).findAll({ where: (is) => is('id', '=', two?.id ?? 0) }),
    )
    expect(listed.map(({ id }) => id)).toEqual([two?.id])
  })

  it('can’t be widened by the conditions of a handler', async () => {
    const app = await appWith({})
    await app.within(() => makeNote({ published: false, title: 'Hidden' }))
    await app.within(async () => {
      const ctx = contextOf(null, { registry: { policies: new Map(), scopes: new Map([[Note, noteScope]]) } })
      const widened = await scoped(Note, ctx)
        .where((is) => is.or([is('title', '=', 'Hidden'), is.lit(true)]))
        .execute()
      expect(widened.filter(({ published }) => !published)).toEqual([])
      expect((await scoped(Note, ctx).clearWhere().execute()).filter(({ published }) => !published)).toEqual(
        [],
      )
      const narrowed = await notes
        .visibleTo(ctx)
        .findAll({ where: (is) => is.or([is('title', '=', 'Hidden'), is.lit(true)]) })
      expect(narrowed.filter(({ published }) => !published)).toEqual([])
      expect(narrowed.length).toBeGreaterThan(0)
    })
  })
})

describe('hidden columns', () => {
  it('are not in the rows of any read', async () => {
    await inDatabase(async () => {
      const { id } = await makeUser()
      const ctx = contextOf(null, {
        registry: { policies: new Map(), scopes: new Map([[users.resource, userScope]]) },
      })
      const rows = [
        await users.asSystem('test').find(id),
        (await users.visibleTo(ctx).findAll())[0],
        (await scoped(users.resource, ctx).execute())[0],
        (await userScope.list(ctx, testDb.db))[0],
        await users.asSystem('test').update(id, { name: 'Renamed' }),
      ]
      for (const row of rows) {
        expect(Object.keys(row ?? {}).toSorted()).toEqual([
          'created_at',
          'disabled_at',
          'id',
          'name',
          'notes_count',
          'roles',
          'version',
        ])
      }
    })
  })
})

function appWith({ routes: table, ...replaced }: Replacements & { routes?: Routes }) {
  const resources = [{ repository: notes, ...(table && { routes: { table } }) }, { repository: users }]
  return testApp({ database: testDb, resources, ...replaced })
}

async function inDatabase<Result>(work: () => Promise<Result>): Promise<Result> {
  return withDatabase(testDb.db, work)
}
