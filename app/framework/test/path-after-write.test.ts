import { describe, expect, it } from 'vitest'
import {
  authorize,
  authorizeRecord,
  type Handler,
  load,
  pathAfterWrite,
  policy,
  record,
  routes,
  secured,
} from 'pergola'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

/** Creates a note with the fields of the body. */
const create: Handler = async (req, res) => {
  const draft = await authorizeRecord(
    req,
    'create',
    Note,
    ...namedValues({ ...Object(req.body), body: 'Text' }),
  )
  res.redirect(303, await pathAfterWrite(req, await notes.insert(draft), memoRoutes))
}
const update: Handler = async (req, res) => {
  const note = await notes.update(record(req, Note, 'update'), ...namedValues(req.body))
  res.redirect(303, await pathAfterWrite(req, note, memoRoutes))
}
const answer: Handler = (_req, res) => void res.end()

const writing = {
  'POST /': [secured(), authorize('create', Note), create],
  'PUT /:id': [secured(), load(Note), authorize('update', Note), update],
  'GET /:id': [secured(), load(Note), authorize('show', Note), answer],
} as const
const memoRoutes = routes('/memos', { ...writing, 'GET /': [secured(), answer] })
const pressRoutes = routes('/press', {
  'GET /': [secured('admin'), answer],
  'GET /:id': [secured(), load(Note), authorize('show', Note), answer],
  'POST /': [
    secured(),
    authorize('create', Note),
    async (req, res) => {
      const draft = await authorizeRecord(
        req,
        'create',
        Note,
        { title: 'hidden', body: 'Text' },
        { set: ['title', 'body'] },
      )
      res.redirect(303, await pathAfterWrite(req, await notes.insert(draft), pressRoutes))
    },
  ],
  'POST /copy': [secured(), async (req) => void (await pathAfterWrite(req, { id: 1 }, pressRoutes))],
})

/** Everyone may write a note, and show notes with another title than “hidden”. */
const blind = policy(Note, {
  canShow: (_ctx, note) => note.title !== 'hidden',
  canCreate: () => true,
  canUpdate: () => true,
})
const app = await testApp({
  policies: [[Note, blind]],
  resources: [{ repository: notes, routes: { memoRoutes, pressRoutes } }],
})
const [user, adminUser] = await app.within(() => Promise.all([makeUser(), makeUser({ roles: ['admin'] })]))
const [client, admin] = await Promise.all([app.signInAs(user.email), app.signInAs(adminUser.email)])
const location = ({ headers }: { headers: Headers }) => headers.get('location')

describe('pathAfterWrite', () => {
  it('returns the page of a record that the caller may show', async () => {
    expect(location(await client.post('/memos', { form: { title: 'open' } }))).toMatch(/^\/memos\/\d+$/)
    const { id } = await app.within(() => makeNote())
    expect(location(await client.put(`/memos/${id}`, { form: { title: 'open' } }))).toBe(`/memos/${id}`)
  })

  it('returns the list for a stored record that the caller may not show', async () => {
    const before = await app.within(() => notes.asSystem('test').count())
    const answer = await client.post('/memos', { form: { title: 'hidden' } })
    expect([answer.status, location(answer)]).toEqual([303, '/memos'])
    expect(await app.within(() => notes.asSystem('test').count())).toBe(before + 1)
    const { id } = await app.within(() => makeNote())
    expect(location(await client.put(`/memos/${id}`, { form: { title: 'hidden' } }))).toBe('/memos')
  })

  it('returns / if the list is for other roles', async () => {
    expect(location(await client.post('/press', { form: {} }))).toBe('/')
    expect(location(await admin.post('/press', { form: {} }))).toBe('/press')
  })

  it('throws for a copy of a row', async () => {
    expect((await client.post('/press/copy', { form: {} })).status).toBe(500)
  })
})
