import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  abilities,
  authorize,
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
  registryOfResources,
  repository,
  resource,
  routes,
  scope,
  secured,
} from '#framework'
import { makePost } from '#app/posts/post.factory.ts'
import { posts } from '#app/posts/post.repository.ts'
import { Post } from '#app/posts/post.ts'
import { testApp } from '#app/test/test-app.ts'
import { testDatabase } from '#app/test/test-database.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

interface NoteTable {
  id: Generated<number>
  post_id: number
  slug: string
  text: string
}

declare module '#framework' {
  interface Tables {
    notes: NoteTable
  }
  interface Policies {
    Note: typeof notePolicy
  }
}

// What the sample has no need of: a reference that clients choose, a column that is set once, verbs of its own.
const Note = resource('Note', {
  table: 'notes',
  input: z.strictObject({ post_id: z.number().int(), slug: z.string(), text: z.string() }),
  immutable: ['slug'],
  references: { post_id: Post },
})

const signedIn = (ctx: { userId: number | null }) => ctx.userId !== null
const notePolicy = policy(Note, {
  canShow: () => true,
  canCreate: signedIn,
  canUpdate: signedIn,
  canDelete: signedIn,
  canPublish: () => true,
  canExport: () => true,
})
const notes = repository(Note, {
  api: '/api/notes',
  policy: notePolicy,
  scope: scope(Note, { where: (_ctx, is) => is.lit(true) }),
  updatedBy: ['publish'],
})

/** Handlers that write with the proof of whatever their route asked. */
const updating =
  (action: 'publish' | 'export' | 'delete' | 'update'): Handler =>
  async (req, res) =>
    void res.json(await notes.update(record(req, Note, action) as never, { text: action }))
const deleting =
  (action: 'publish' | 'export' | 'delete' | 'update'): Handler =>
  async (req, res) => {
    await notes.delete(record(req, Note, action) as never)
    res.end()
  }
const noteRoutes = routes('/notes', {
  'GET /admins': [secured('editor' as never, 'admin'), (_req, res) => void res.end()],
  'POST /publish/:id': [publicRoute(), load(Note), authorize('publish', Note), updating('publish')],
  'POST /export/:id': [publicRoute(), load(Note), authorize('export', Note), updating('export')],
  'DELETE /publish/:id': [publicRoute(), load(Note), authorize('publish', Note), deleting('publish')],
  'DELETE /export/:id': [publicRoute(), load(Note), authorize('export', Note), deleting('export')],
  'DELETE /update/:id': [secured(), load(Note), authorize('update', Note), deleting('update')],
  'POST /delete/:id': [secured(), load(Note), authorize('delete', Note), updating('delete')],
  'GET /below/:post/:note': [
    publicRoute(),
    load(Note, { param: 'note', below: { post_id: 'post' } }),
    authorize('show', Note),
    (req, res) => void res.json(record(req, Note, 'show')),
  ],
  'GET /of/:post/:note': [
    publicRoute(),
    load(Post, { param: 'post' }),
    load(Note, { param: 'note', as: 'remark' }),
    authorize('show', Note, { from: 'remark' }),
    (req, res) => void res.json(record(req, Note, 'show', { from: 'remark' })),
  ],
})

const testDb = await testDatabase()
const resources = [{ repository: notes, routes: noteRoutes }, { repository: posts }, { repository: users }]
const app = await testApp({ database: testDb, resources })
const auto = await testApp({ database: testDb, resources, forbiddenResponse: 'auto' })
const [member, admin] = await app.within(() => Promise.all([makeUser(), makeUser({ roles: ['admin'] })]))
const client = await app.signInAs(member.email)

beforeAll(async () => {
  await sql`create table notes (id bigint generated always as identity primary key,
    post_id bigint not null references posts, slug text not null, text text not null)`.execute(testDb.db)
})

const makeNote = () =>
  app.within(async () =>
    notes.asSystem('test').insert({ post_id: (await makePost()).id, slug: 's', text: 'old' }),
  )
const textOf = async (id: number) => (await app.within(() => notes.find(id)))?.text

describe('secured', () => {
  it('lets in who has one of the roles, and tells the others that it is forbidden', async () => {
    const adminClient = await app.signInAs(admin.email)
    const answers = await Promise.all(
      [app.guest, client, adminClient].map((asking) => asking.get('/notes/admins')),
    )
    expect(answers.map(({ status }) => status)).toEqual([303, 403, 200])
  })
})

describe('a reference', () => {
  it('leads to what the caller may see; hidden and missing are the same error', async () => {
    const [post, draft] = await app.within(() => Promise.all([makePost(), makePost({ published: false })]))
    const create = (post_id: unknown) =>
      client.post('/api/notes', { json: { post_id, slug: 's', text: 't' } })
    expect((await create(post.id)).status).toBe(201)
    const refusals = await Promise.all([draft.id, 999_999, 2 ** 53].map(create))
    for (const refused of refusals) {
      expect(refused.status).toBe(422)
      expect(refused.json()).toMatchObject({ errors: [{ field: 'post_id' }] })
    }
    const errors = refusals.slice(0, 2).map((refused) => (refused.json() as { errors: unknown }).errors)
    expect(errors[0]).toEqual(errors[1])
  })
})

describe('an immutable field', () => {
  it('is set when the record is created, and then never by a client', async () => {
    const note = await makeNote()
    const put = (json: object) => client.put(`/api/notes/${note.id}`, { json })
    expect((await put({ slug: 'other' })).json()).toMatchObject({
      errors: [{ field: 'slug', messages: ['Cannot be changed.'] }],
    })
    expect((await put({ slug: 's', text: 'new' })).json()).toEqual({ ...note, text: 'new' })
  })
})

describe('the proof of an action', () => {
  it('allows the write it is for, and a verb’s own only where the repository says so', async () => {
    const note = await makeNote()
    expect((await app.guest.post(`/notes/publish/${note.id}`)).status).toBe(200)
    expect(await textOf(note.id)).toBe('publish')
    const wrong = [
      app.guest.post(`/notes/export/${note.id}`),
      app.guest.delete(`/notes/export/${note.id}`),
      app.guest.delete(`/notes/publish/${note.id}`),
      client.delete(`/notes/update/${note.id}`),
      client.post(`/notes/delete/${note.id}`),
    ]
    expect((await Promise.all(wrong)).map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
    expect(await textOf(note.id)).toBe('publish')
  })

  it('is nobody’s who merely holds the same row', async () => {
    const note = await makeNote()
    const sharing = routes('/sharing', {
      'GET /ask': [
        publicRoute(),
        async (req, res) => {
          await authorizeRecord(req, 'publish', Note, note)
          res.end()
        },
      ],
      'GET /write': [
        publicRoute(),
        async (_req, res) => {
          await notes.update(note as never, { text: 'stolen' })
          res.end()
        },
      ],
    })
    const shared = await testApp({
      database: testDb,
      resources: [{ repository: notes, routes: sharing }, { repository: posts }],
    })
    expect((await shared.guest.get('/sharing/ask')).status).toBe(200)
    expect((await shared.guest.get('/sharing/write')).status).toBe(500)
    expect(await textOf(note.id)).toBe('old')
  })

  it('of a draft stores it once', async () => {
    const { id } = await app.within(() => makePost())
    const twice = routes('/twice', {
      'POST /': [
        secured(),
        async (req) => {
          const draft = await authorizeRecord(req, 'create', Note, { post_id: id, slug: 'twice', text: 't' })
          await notes.insert(draft)
          await notes.insert(draft)
        },
      ],
    })
    const app2 = await testApp({
      database: testDb,
      resources: [{ repository: notes, routes: twice }, { repository: posts }],
    })
    expect((await (await app2.signInAs(member.email)).post('/twice', { form: {} })).status).toBe(500)
    const stored = await app.within(() =>
      notes.asSystem('test').count({ where: (is) => is('slug', '=', 'twice') }),
    )
    expect(stored).toBe(1)
  })
})

describe('load', () => {
  it('takes the id from the parameter it is told, and keeps the record under the name it is told', async () => {
    const note = await makeNote()
    expect((await app.guest.get(`/notes/of/${note.post_id}/${note.id}`)).json()).toEqual(note)
    expect((await app.guest.get(`/notes/of/999999/${note.id}`)).status).toBe(404)
  })
})

describe('load below a parent', () => {
  it('finds only what is the parent’s own', async () => {
    const [note, other] = [await makeNote(), await makeNote()]
    const status = async (post: number | string, id: number) =>
      (await app.guest.get(`/notes/below/${post}/${id}`)).status
    expect(await status(note.post_id, note.id)).toBe(200)
    expect(await status(other.post_id, note.id)).toBe(404)
    for (const post of ['abc', `0${note.post_id}`, '999999', 'null'])
      expect(await status(post, note.id)).toBe(404)
  })
})

describe('forbidden_response = "auto"', () => {
  it('answers a denied create with 403: there is nothing to hide', async () => {
    const denying = policy(Note, { canShow: () => true })
    const refusing = await testApp({
      database: testDb,
      resources,
      forbiddenResponse: 'auto',
      policies: [[Note, denying]],
    })
    const stranger = await refusing.signInAs(member.email)
    expect((await stranger.post('/api/notes', { json: {} })).status).toBe(403)
    expect((await auto.guest.get('/api/notes/999999')).status).toBe(404)
  })
})

describe('abilities', () => {
  it('answer for a hundred rows also when the rule asks the database, and no to what was not prepared', async () => {
    const asking = policy(Post, {
      canShow: () => true,
      canUpdate: async (ctx, post) => {
        const found = await ctx.db
          ?.selectFrom('posts')
          .select('id')
          .where('id', '=', post.id)
          .executeTakeFirst()
        return found !== undefined
      },
    })
    const listing = routes('/buttons', {
      'GET /': [
        publicRoute(),
        async (req, res) => {
          const rows = await posts.visibleTo(await policyContext(req)).findAll()
          const may = await abilities(req, Post, rows, ['update'])
          res.json({
            rows: rows.length,
            update: rows.filter((row) => may(row, 'update')).length,
            unprepared: rows.filter((row) => may(row, 'delete') || may({ ...row }, 'update')).length,
          })
        },
      ],
    })
    const buttons = await testApp({
      database: testDb,
      resources: [{ repository: posts, routes: listing }, { repository: users }],
      policies: [[Post, asking]],
    })
    for (let count = 0; count < 100; count++) await app.within(() => makePost({ author_id: member.id }))
    const answer = (await buttons.guest.get('/buttons')).json() as Record<string, number>
    expect(answer['rows']).toBeGreaterThanOrEqual(100)
    expect(answer).toEqual({ rows: answer['rows'], update: answer['rows'], unprepared: 0 })
  })
})

describe('registryOfResources', () => {
  it('refuses a second scope for a resource', () => {
    const second = repository(Note, { scope: scope(Note, { where: (_ctx, is) => is.lit(true) }) })
    expect(() => registryOfResources([{ repository: notes }, { repository: second }])).toThrow('Note has two')
  })
})

describe('inTransaction', () => {
  it('takes every write back when something throws, and its reads see what it wrote', async () => {
    const before = await app.within(() => notes.asSystem('test').count())
    const work = app.within(() =>
      inTransaction(async () => {
        const note = await makeNoteInside()
        const ctx = contextOf(null, { db: database })
        const seen = await ctx.db
          ?.selectFrom('notes')
          .select('id')
          .where('id', '=', note.id)
          .executeTakeFirst()
        expect(seen).toEqual({ id: note.id })
        await inTransaction(makeNoteInside)
        throw new Error('No, after all.')
      }),
    )
    await expect(work).rejects.toThrow('No, after all.')
    expect(await app.within(() => notes.asSystem('test').count())).toBe(before)
  })

  const makeNoteInside = async () =>
    notes.asSystem('test').insert({ post_id: (await makePost()).id, slug: 's', text: 't' })
})

describe('database()', () => {
  it.each([
    ['raw', () => sql`update notes set text = 'stolen'`.execute(database())],
    ['raw, in pieces', () => sql`delete from ${sql.table('notes')}`.execute(database())],
    [
      'raw, within a query',
      () =>
        database()
          .with('x', () => sql<never>`update notes set text = 'x' returning id` as never)
          .selectFrom('notes')
          .selectAll()
          .execute(),
    ],
    [
      'a raw table',
      () =>
        database()
          .updateTable(sql`notes` as never)
          .set({ text: 'stolen' } as never)
          .execute(),
    ],
    ['raw, with an alias', () => sql`update notes as n set text = 'stolen'`.execute(database())],
    ['raw, only', () => sql` UPDATE ONLY notes set text = 'stolen'`.execute(database())],
    ['raw, explained', () => sql`explain analyze delete from notes`.execute(database())],
    ['raw, second', () => sql`select 1; delete from notes`.execute(database())],
    ['raw, below', () => sql`with a as (select 1) update notes set text = 'stolen'`.execute(database())],
    [
      'raw, behind an escaped quote',
      () => sql.raw(`select E'\\''; update notes set text = 'stolen' where 'x' = 'x'`).execute(database()),
    ],
    [
      'raw, behind a name that looks like a comment',
      () =>
        sql
          .raw(`with "a--" as (select 1), b as (update notes set text = 'stolen' returning 1) select 1`)
          .execute(database()),
    ],
    ['raw, prepared', () => sql`prepare p as update notes set text = 'stolen'`.execute(database())],
    ['raw, into a table of its own', () => sql`select * into stolen from notes`.execute(database())],
    ['a truncation', () => sql`truncate notes`.execute(database())],
    ['raw, done', () => sql`do $$ begin delete from notes; end $$`.execute(database())],
    [
      'a merge',
      () =>
        database()
          .mergeInto('notes')
          .using('posts', 'posts.id', 'notes.post_id')
          .whenMatched()
          .thenDelete()
          .execute(),
    ],
    ['the schema', () => database().schema.dropTable('notes').execute()],
    ['a column', () => database().schema.alterTable('notes').dropColumn('text').execute()],
  ])('sends no write of a resource’s table: %s', async (_, write) => {
    const note = await makeNote()
    testDb.statements.length = 0
    await expect(app.within(async () => write())).rejects.toThrow('around the policy')
    expect(testDb.statements).toEqual([])
    expect(await textOf(note.id)).toBe('old')
  })

  it('reads anything, and writes what belongs to no resource', async () => {
    await app.within(async () => {
      expect((await sql<{ one: number }>`select 1 as one`.execute(database())).rows).toEqual([{ one: 1 }])
      await sql`select 'what to do' as "update", 'delete; copy' as call -- drop it`.execute(database())
      await sql`select id from notes for update`.execute(database())
      await database().deleteFrom('attempts').execute()
    })
  })
})
