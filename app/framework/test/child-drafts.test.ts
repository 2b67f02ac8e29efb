import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  authorizeRecord,
  type Handler,
  load,
  lookup,
  mayCreate,
  policy,
  publicRoute,
  repository,
  resource,
  routes,
  scope,
  secured,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, User, users } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

interface ReplyTable {
  id: Generated<number>
  note_id: number
  author_id: number
  text: string
}

declare module 'pergola' {
  interface Tables {
    replies: ReplyTable
  }
}

const Reply = resource('Reply', {
  table: 'replies',
  input: z.strictObject({ text: z.string() }),
  columns: ['note_id'],
  owner: 'author_id',
  references: { note_id: Note, author_id: User },
})

const isPublished = lookup(async (db, noteIds: readonly number[]) => {
  const rows = await db.selectFrom('notes').select(['id', 'published']).where('id', 'in', noteIds).execute()
  return new Map(rows.map(({ id, published }) => [id, published]))
})

const replies = repository(Reply, {
  policy: policy(Reply, {
    canShow: () => true,
    // Follows the parent: a draft without a parent is denied.
    canCreate: async (ctx, { note_id }) =>
      note_id !== undefined && (await isPublished(ctx, note_id)) === true,
  }),
  scope: scope(Reply, { where: (_ctx, is) => is.lit(true) }),
})

/** Stores a reply with the values of the body, which may name another note. */
const create: Handler = async (req, res) => {
  const draft = await authorizeRecord(req, 'create', Reply, ...namedValues(req.body))
  res.json(await replies.insert(draft))
}

const below = { below: { note_id: 'note' } }
const onNote = [load(Note, { param: 'note' }), authorize('show', Note)]
const replyRoutes = routes('/notes/:note/replies', {
  'POST /': [secured(), ...onNote, authorize('create', Reply, below), create],
  'POST /blank': [secured(), ...onNote, authorize('create', Reply), create],
  'GET /may': [
    publicRoute(),
    ...onNote,
    async (req, res) => {
      const note_id = Number(req.params['note'])
      res.json([await mayCreate(req, Reply), await mayCreate(req, Reply, { note_id })])
    },
  ],
})

const database = await testDatabase()
const resources = [
  { repository: replies, routes: { replyRoutes } },
  { repository: notes },
  { repository: users },
]
const app = await testApp({ database, resources })
const author = await app.within(() => makeUser())
const client = await app.signInAs(author.email)

beforeAll(async () => {
  await sql`create table replies (id bigint generated always as identity primary key,
    note_id bigint not null references notes, author_id bigint not null references users, text text not null)`.execute(
    database.db,
  )
})

const reply = (noteId: number | string, form: object = { text: 'Hi' }) =>
  client.post(`/notes/${noteId}/replies`, { form: form as Record<string, string> })
const stored = () => app.within(() => replies.asSystem('test').count())

describe("authorize('create') with a parent in the path", () => {
  it('allows a draft whose parent the rule allows, and stores that parent', async () => {
    const note = await app.within(() => makeNote())
    const { status, json } = await reply(note.id)
    expect([status, json()]).toEqual([
      200,
      { id: expect.any(Number) as number, note_id: note.id, author_id: author.id, text: 'Hi' },
    ])
  })

  it('ignores another parent in the body', async () => {
    const [note, draft] = await app.within(() =>
      Promise.all([makeNote(), makeNote({ published: false, author_id: author.id })]),
    )
    const answer = await reply(note.id, { text: 'Hi', note_id: String(draft.id) })
    expect(answer.json()).toMatchObject({ note_id: note.id })
  })

  it('denies a draft whose parent the rule denies, and stores nothing', async () => {
    const before = await stored()
    const draft = await app.within(() => makeNote({ published: false, author_id: author.id }))
    expect((await reply(draft.id)).status).toBe(404)
    expect((await reply(draft.id, { text: 'Hi', note_id: '1' })).status).toBe(404)
    expect(await stored()).toBe(before)
  })

  it('returns 404 for a missing, a hidden and a malformed parent', async () => {
    const hidden = await app.within(() => makeNote({ published: false }))
    const answers = await Promise.all([999_999, hidden.id, 'abc', '01'].map((id) => reply(id)))
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  it('denies every draft without the parent', async () => {
    const note = await app.within(() => makeNote())
    expect((await client.post(`/notes/${note.id}/replies/blank`, { form: { text: 'Hi' } })).status).toBe(404)
  })

  it('decides again in the transaction of the insert', async () => {
    const note = await app.within(() => makeNote())
    const unpublishing = routes('/notes/:note/late', {
      'POST /': [
        secured(),
        ...onNote,
        authorize('create', Reply, below),
        async (req, res) => {
          const draft = await authorizeRecord(req, 'create', Reply, { text: 'Late' }, { set: ['text'] })
          await database.db.updateTable('notes').set({ published: false }).where('id', '=', note.id).execute()
          res.json(await replies.insert(draft))
        },
      ],
    })
    const late = await testApp({
      database,
      resources: [{ repository: replies, routes: { unpublishing } }, { repository: notes }],
    })
    const before = await stored()
    expect(
      (await (await late.signInAs(author.email)).post(`/notes/${note.id}/late`, { form: {} })).status,
    ).toBe(404)
    expect(await stored()).toBe(before)
  })
})

describe('mayCreate', () => {
  it('decides about a draft with the given values', async () => {
    const note = await app.within(() => makeNote())
    expect((await client.get(`/notes/${note.id}/replies/may`)).json()).toEqual([false, true])
  })
})

describe('mount', () => {
  const mounted = (table: Parameters<typeof routes>[1]) =>
    testApp({
      database,
      resources: [{ repository: replies, routes: { wrong: routes('/wrong', table) } }, { repository: notes }],
    })

  it('throws if no load reads the parent', async () => {
    await expect(
      mounted({ 'POST /:note': [secured(), authorize('create', Reply, below), create] }),
    ).rejects.toThrow(
      "authorize('create', Reply) needs ':note' for note_id. Put a load with { param: 'note' } before it.",
    )
  })

  it('throws for a parent of an action on a stored record', async () => {
    const guards = [secured(), ...onNote, load(Reply), authorize('show', Reply, below)] as const
    await expect(mounted({ 'GET /:note/:id': [...guards, create] })).rejects.toThrow(
      "has 'below', which is for 'create'. Pass it to load(Reply).",
    )
  })
})
