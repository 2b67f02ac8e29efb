import { describe, expect, it } from 'vitest'
import {
  authorize,
  type DeclaredResource,
  type Handler,
  latestRecords,
  load,
  publicRoute,
  routes,
  secured,
} from 'pergola'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { testDatabase } from 'pergola/testing'
import { makeUser, User, users } from './fixtures/user.ts'

const answer: Handler = (_req, res) => void res.end()
const noteRoutes = routes('/notes', {
  'GET /': [publicRoute(), answer],
  'GET /new': [secured(), authorize('create', Note), answer],
  'GET /:id': [publicRoute(), load(Note), authorize('show', Note), answer],
})
const memberRoutes = routes('/members', {
  'GET /': [secured('admin'), answer],
  'GET /:id': [secured('admin'), load(User), authorize('show', User), answer],
})
const start: Handler = async (req, res) =>
  void res.json(await latestRecords(req, declared, { lists: 2, records: 2 }))
const startRoutes = routes('/start', { 'GET /': [publicRoute(), start] })
const declared: readonly DeclaredResource[] = [
  { repository: notes, routes: { startRoutes, noteRoutes }, nav: { noteRoutes: 'Notes' } },
  { repository: users, routes: { memberRoutes }, nav: 'Members' },
]
const database = await testDatabase()
const { statements } = database
const app = await testApp({ resources: declared, database })
const [alice, admin] = await app.within(() => Promise.all([makeUser(), makeUser({ roles: ['admin'] })]))
const signedIn = await Promise.all([app.signInAs(alice.email), app.signInAs(admin.email)])
const hidden = await app.within(async () => {
  for (const title of ['Older', 'Old', 'New']) await makeNote({ title, author_id: admin.id })
  return makeNote({ title: 'Hidden', published: false, author_id: admin.id })
})
const latest = async (client: typeof app.guest) =>
  (await client.get('/start')).json() as Awaited<ReturnType<typeof latestRecords>>
const titles = async (client: typeof app.guest) =>
  (await latest(client)).map(({ href, createHref, records }) => [
    href,
    createHref,
    records.map(({ label }) => label),
  ])

describe('latestRecords', () => {
  it('returns the newest records in the scope of the caller, of lists that the caller may open', async () => {
    const [client, adminClient] = signedIn
    expect(await titles(app.guest)).toEqual([['/notes', null, ['New', 'Old']]])
    expect(await titles(client)).toEqual([['/notes', '/notes/new', ['New', 'Old']]])
    expect(await titles(adminClient)).toEqual([
      ['/notes', '/notes/new', ['Hidden', 'New']],
      ['/members', null, [expect.any(String), expect.any(String)]],
    ])
  })

  it('returns the page and the creation of each record', async () => {
    const [list] = await latest(signedIn[1])
    expect(list?.records[0]).toEqual({
      label: 'Hidden',
      href: `/notes/${hidden.id}`,
      created_at: hidden.created_at,
    })
  })

  it('sends one statement per list', async () => {
    statements.length = 0
    await latest(app.guest)
    expect(statements).toEqual([expect.stringMatching(/from "notes".* limit /s)])
  })
})
