import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  contextOf,
  hasVisible,
  jsonBody,
  jsonInput,
  load,
  parentAllows,
  policy,
  type PolicyContext,
  record,
  repository,
  resource,
  routes,
  scope,
  secured,
} from 'pergola'
import { registryOfResources } from 'pergola/app'
import { childCounts } from 'pergola/features'
import { expectParity, testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { User, users } from './fixtures/user.ts'

interface AnnotationTable {
  id: Generated<number>
  note_id: number
  author_id: number
  text: string
}

declare module 'pergola' {
  interface Tables {
    annotations: AnnotationTable
  }
}

const Annotation = resource('Annotation', {
  table: 'annotations',
  input: z.strictObject({ text: z.string() }),
  columns: ['note_id'],
  owner: 'author_id',
  references: { note_id: Note, author_id: User },
})

const seesNote = parentAllows('show', Note, 'note_id')
const mayWrite = async (ctx: PolicyContext, annotation: { author_id: number; note_id: number }) =>
  ctx.owns(annotation.author_id) && (await seesNote(ctx, annotation))

const annotations = repository(Annotation, {
  api: '/api/notes/:note_id/annotations',
  policy: policy(Annotation, {
    canShow: seesNote,
    canCreate: async (ctx, draft) => ctx.userId !== null && (await seesNote(ctx, draft)),
    canUpdate: mayWrite,
    canDelete: parentAllows('update', Note, 'note_id'),
  }),
  scope: scope(Annotation, { where: (ctx) => hasVisible(ctx, Note, 'annotations.note_id') }),
})

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [{ repository: annotations }, { repository: notes }, { repository: users }],
})
const [owner, stranger, admin] = await Promise.all([
  app.newcomer(),
  app.newcomer(),
  app.newcomer({ roles: ['admin'] }),
])

beforeAll(async () => {
  await sql`create table annotations (id bigint generated always as identity primary key,
    note_id bigint not null references notes, author_id bigint not null references users, text text not null)`.execute(
    database.db,
  )
})

const makeAnnotation = (note_id: number) =>
  app.within(() =>
    annotations.asSystem('test').insert({ note_id, author_id: owner.user.id, text: 'An annotation' }),
  )
const hiddenNote = () => app.within(() => makeNote({ published: false, author_id: owner.user.id }))
const withoutRequestId = ({ text }: { text: string }) => text.replace(/"request_id":"[^"]*"/, '')
const stored = () => app.within(() => annotations.asSystem('test').count())

describe('a JSON API below a parent', () => {
  it('lists the records of the parent in the path, on numbered and on cursor pages', async () => {
    const [note, other] = await app.within(() => Promise.all([makeNote(), makeNote()]))
    const [{ id }] = await Promise.all([makeAnnotation(note.id), makeAnnotation(other.id)])
    for (const query of ['', '?cursor=', '?page=1&size=1']) {
      const { content } = (await app.guest.get(`/api/notes/${note.id}/annotations${query}`)).json() as {
        content: { id: number }[]
      }
      expect(content.map((annotation) => annotation.id)).toEqual([id])
    }
  })

  it('stores a record with the parent in the path, whatever the body contains', async () => {
    const [note, other] = await app.within(() => Promise.all([makeNote(), makeNote()]))
    const path = `/api/notes/${note.id}/annotations`
    const made = await owner.post(`${path}/`, { json: { text: 'New' } })
    const { id } = made.json() as { id: number }
    expect([made.status, made.headers.get('location')]).toEqual([201, `${path}/${id}`])
    expect((await owner.get(`${path}/${id}`)).json()).toMatchObject({ note_id: note.id, text: 'New' })
    expect((await owner.post(path, { json: { text: 'New', note_id: other.id } })).status).toBe(422)
    expect((await owner.put(`${path}/${id}`, { json: { note_id: other.id } })).status).toBe(422)
  })

  it('finds a record only below its own parent', async () => {
    const [note, other] = await app.within(() => Promise.all([makeNote(), makeNote()]))
    const { id } = await makeAnnotation(note.id)
    const path = `/api/notes/${other.id}/annotations/${id}`
    const answers = await Promise.all([
      owner.get(path),
      owner.put(path, { json: { text: 'Moved' } }),
      owner.delete(path),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  it('answers for a hidden parent as for a missing one, and stores nothing', async () => {
    const hidden = await hiddenNote()
    const { id } = await makeAnnotation(hidden.id)
    const before = await stored()
    const answersOf = (note: number) =>
      Promise.all([
        stranger.get(`/api/notes/${note}/annotations`),
        stranger.get(`/api/notes/${note}/annotations/${id}`),
        stranger.post(`/api/notes/${note}/annotations`, { json: { text: 'Hello' } }),
        stranger.put(`/api/notes/${note}/annotations/${id}`, { json: { text: 'Hello' } }),
        stranger.delete(`/api/notes/${note}/annotations/${id}`),
      ])
    const [seen, missing] = [await answersOf(hidden.id), await answersOf(999_999)]
    expect(seen.map(withoutRequestId)).toEqual(missing.map(withoutRequestId))
    expect(seen.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(await stored()).toBe(before)
    expect((await admin.get(`/api/notes/${hidden.id}/annotations/${id}`)).status).toBe(200)
  })

  it('redirects no guest, but answers 401 to a write', async () => {
    const { id } = await app.within(() => makeNote())
    expect((await app.guest.post(`/api/notes/${id}/annotations`, { json: { text: 'Hi' } })).status).toBe(401)
  })
})

it('refuses a parameter that is not a reference of the resource', async () => {
  const wrong = repository(Annotation, { api: '/api/notes/:text/annotations' })
  await expect(testApp({ database, resources: [{ repository: wrong }] })).rejects.toThrow(
    'Annotation has no reference text, which its api has in the path.',
  )
})

describe('parentAllows', () => {
  it('agrees with hasVisible for each caller', async () => {
    const [open, hidden] = [await app.within(() => makeNote()), await hiddenNote()]
    await Promise.all([makeAnnotation(open.id), makeAnnotation(hidden.id)])
    await expectParity(app, Annotation)
  })

  it('asks the policy of the parent for the given action', async () => {
    const [own, other] = await app.within(() =>
      Promise.all([makeNote({ author_id: stranger.user.id }), makeNote()]),
    )
    const [mine, theirs] = await Promise.all([makeAnnotation(own.id), makeAnnotation(other.id)])
    const remove = (note: number, id: number) => stranger.delete(`/api/notes/${note}/annotations/${id}`)
    const answers = await Promise.all([remove(own.id, mine.id), remove(other.id, theirs.id)])
    expect(answers.map(({ status }) => status)).toEqual([204, 404])
  })

  it('reads a parent once for the rules of several actions', async () => {
    const [one, other] = await app.within(() => Promise.all([makeNote(), makeNote()]))
    const registry = registryOfResources([{ repository: annotations }, { repository: notes }])
    const ctx = contextOf(
      { id: 'session', userId: owner.user.id, name: 'Owner', roles: [] },
      { db: () => database.db, registry },
    )
    const [shows, updates] = [seesNote, parentAllows('update', Note, 'note_id')]
    database.statements.length = 0
    const answers = [one, other, one].flatMap(({ id }) =>
      [shows, updates].map((may) => may(ctx, { note_id: id })),
    )
    expect(await Promise.all(answers)).toEqual([true, false, true, false, true, false])
    expect(database.statements).toHaveLength(1)
  })

  it('denies without a parent and without a database', async () => {
    const may = parentAllows('show', Note, 'note_id')
    const ctx = contextOf({ id: 'session', userId: owner.user.id, name: 'Owner', roles: ['admin'] })
    const { id } = await app.within(() => makeNote())
    expect(await Promise.all([may(ctx, {}), may(ctx, { note_id: null }), may(ctx, { note_id: id })])).toEqual(
      [false, false, false],
    )
  })

  it('denies with the error of the parent’s rule, which is logged', async () => {
    const { id } = await app.within(() => makeNote())
    const fails = policy(Note, {
      canShow: () => {
        throw new Error('This rule is broken.')
      },
    })
    const broken = await testApp({
      database,
      resources: [{ repository: annotations }, { repository: notes }],
      policies: [[Note, fails]],
    })
    const registry = registryOfResources([{ repository: annotations }, { repository: notes }], {
      policies: [[Note, fails]],
    })
    const ctx = contextOf(
      { id: 'session', userId: owner.user.id, name: 'Owner', roles: [] },
      { db: () => database.db, registry },
    )
    await expect(parentAllows('show', Note, 'note_id')(ctx, { note_id: id })).rejects.toThrow(
      'This rule is broken.',
    )
    expect((await broken.guest.get(`/api/notes/${id}/annotations`)).status).toBe(404)
  })

  it('decides again in the transaction of the write', async () => {
    const note = await app.within(() => makeNote())
    const hide = sql`update notes set published = false where id = ${note.id}`
    const lateRoutes = routes('/api/notes/:note_id/late', {
      'POST /': [
        secured(),
        load(Note, { param: 'note_id' }),
        authorize('show', Note),
        authorize('create', Annotation, { below: { note_id: 'note_id' } }),
        jsonBody(),
        async (req, res) => {
          await hide.execute(database.db)
          res.json(
            await annotations.insert(record(req, Annotation, 'create'), await jsonInput(req, Annotation)),
          )
        },
      ],
    })
    const late = await testApp({
      database,
      resources: [{ repository: annotations, routes: { lateRoutes } }, { repository: notes }],
    })
    const before = await stored()
    const { status } = await (
      await late.signInAs(owner.user.email)
    ).post(`/api/notes/${note.id}/late`, { json: { text: 'Late' } })
    expect([status, await stored()]).toEqual([404, before])
  })
})

describe('childCounts', () => {
  it('counts the children of each parent that the caller sees in lists, with one query', async () => {
    const [open, empty, hidden] = [
      await app.within(() => makeNote()),
      await app.within(() => makeNote()),
      await hiddenNote(),
    ]
    await Promise.all([makeAnnotation(open.id), makeAnnotation(open.id), makeAnnotation(hidden.id)])
    const countsFor = (user: typeof owner.user) =>
      app.within(() =>
        childCounts(app.contextFor(user), Annotation, { note_id: [open.id, empty.id, hidden.id] }),
      )
    expect(await countsFor(stranger.user)).toEqual(new Map([[open.id, 2]]))
    expect(await countsFor(owner.user)).toEqual(
      new Map([
        [open.id, 2],
        [hidden.id, 1],
      ]),
    )
  })
  it('sends no query without ids, and rejects a column that refers to no parent', async () => {
    await app.within(async () => {
      const ctx = app.contextFor(owner.user)
      expect(await childCounts(ctx, Annotation, { note_id: [] })).toEqual(new Map())
      await expect(childCounts(ctx, Annotation, { text: [1] })).rejects.toThrow('no reference text')
    })
  })
})
