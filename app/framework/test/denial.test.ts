import { describe, expect, it } from 'vitest'
import { authorize, type Guard, type Handler, load, publicRoute, routes } from 'pergola'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { comparable, testDatabase } from 'pergola/testing'
import { makeUser } from './fixtures/user.ts'

const database = await testDatabase()
const app = await testApp({ database })
const open = await testApp({ database, forbiddenResponse: '403' })
const auto = await testApp({ database, forbiddenResponse: 'auto' })
const [author, stranger] = await app.within(() =>
  Promise.all([makeUser({ name: 'Alice' }), makeUser({ name: 'Bob' })]),
)
const bob = await app.signInAs(stranger.email)

const makeDraft = () => app.within(() => makeNote({ author_id: author.id, published: false }))
const remove = (id: number) => app.within(() => notes.asSystem('test').delete(id))

const FORMS: Record<string, Record<string, string>> = {
  page: { accept: 'text/html' },
  'page for htmx': {
    accept: 'text/html',
    'hx-request': 'true',
    'hx-target': 'body',
    'hx-request-type': 'full',
  },
  'JSON from a page': { accept: 'application/json' },
  'conditional request': {
    'if-none-match': '*',
    'if-match': '"1"',
    'if-modified-since': new Date(0).toUTCString(),
  },
}
const TITLE_FORM = { form: { title: 'x', body: 'y' } }
const REQUESTS: [string, string, string, object][] = [
  ['GET', '/notes/:id', 'bob', {}],
  ['GET', '/notes/:id', 'guest', {}],
  ['HEAD', '/notes/:id', 'bob', {}],
  ['GET', '/notes/:id/edit', 'bob', {}],
  ['POST', '/notes/:id', 'bob', { form: { _method: 'PUT', title: '' } }],
  ['POST', '/notes/:id', 'bob', { form: { _method: 'DELETE' } }],
  ['PUT', '/notes/:id', 'bob', TITLE_FORM],
  ['DELETE', '/notes/:id', 'bob', {}],
  ['GET', '/api/notes/:id', 'bob', {}],
  ['GET', '/api/notes/:id', 'guest', {}],
  ['HEAD', '/api/notes/:id', 'bob', {}],
  ['PUT', '/api/notes/:id', 'bob', { json: { title: 7 } }],
  ['PUT', '/api/notes/:id', 'bob', { body: '{broken', headers: { 'content-type': 'application/json' } }],
  ['DELETE', '/api/notes/:id', 'bob', {}],
]

describe('a denied record', () => {
  for (const [form, accept] of Object.entries(FORMS)) {
    it.each(REQUESTS)(
      `looks like a missing one, as a ${form}: %s %s by %s`,
      async (method, path, who, sent) => {
        const draft = await makeDraft()
        const client = who === 'bob' ? bob : app.guest
        const ask = async () => {
          const { headers = {} } = sent as { headers?: Record<string, string> }
          return comparable(
            await client.send(method, path.replace(':id', String(draft.id)), {
              ...sent,
              headers: { ...accept, ...headers },
            }),
          )
        }
        const denied = await ask()
        expect(await app.within(() => notes.asSystem('test').find(draft.id))).toEqual(draft)
        await remove(draft.id)
        expect(denied).toEqual(await ask())
        expect(denied.status).toBe(404)
      },
    )
  }

  it.each(REQUESTS)(
    'sends the same statements as a missing record: %s %s by %s',
    async (method, path, who, sent) => {
      const draft = await makeDraft()
      const client = who === 'bob' ? bob : app.guest
      const statementsOf = async () => {
        app.statements.length = 0
        await client.send(method, path.replace(':id', String(draft.id)), sent)
        return [...app.statements]
      }
      const denied = await statementsOf()
      await remove(draft.id)
      expect(await statementsOf()).toEqual(denied)
      expect(denied.length).toBeGreaterThan(0)
    },
  )

  it('has no headers of the guards that ran before', async () => {
    const leavesTraces: Guard = {
      kind: 'trace',
      run(_req, res) {
        res
          .vary('Cookie')
          .cookie('seen', '1')
          .set({ ETag: '"1"', 'Last-Modified': 'now', 'Cache-Control': 'public', 'X-Trace': '1' })
      },
    }
    const never: Handler = (_req, res) => void res.end()
    const table = routes('/traced', {
      'GET /:id': [publicRoute(), load(Note), leavesTraces, authorize('show', Note), never],
    })
    const traced = await testApp({ database, resources: [{ repository: notes, routes: { table } }] })
    const draft = await makeDraft()
    const ask = async () => comparable(await traced.guest.get(`/traced/${draft.id}`))
    const denied = await ask()
    await remove(draft.id)
    expect(denied).toEqual(await ask())
  })

  it('shows the signed-in user in the layout', async () => {
    const draft = await makeDraft()
    expect((await bob.get(`/notes/${draft.id}`)).text).toContain('Bob')
    expect((await bob.get('/notes/999999')).text).toContain('Bob')
    expect((await bob.get('/nowhere')).text).toContain('Bob')
  })

  it('neither shows nor consumes a flash message for the next page', async () => {
    const draft = await makeDraft()
    const client = await app.signInAs(stranger.email)
    await client.post('/notes', { form: { title: 'Waiting', body: 'B' } })
    expect((await client.get(`/notes/${draft.id}`)).text).not.toContain('Note created.')
    expect((await client.get('/notes')).text).toContain('Note created.')
  })
})

describe('forbidden_response', () => {
  it('set to 403 distinguishes denied from missing', async () => {
    const draft = await makeDraft()
    const client = await open.signInAs(stranger.email)
    const answers = await Promise.all([
      client.get(`/notes/${draft.id}`),
      client.put(`/api/notes/${draft.id}`, { json: {} }),
      client.get('/notes/999999'),
      client.get('/api/notes/999999'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 404, 404])
  })

  it('set to auto returns 403 for records that the caller may see, and 404 for others', async () => {
    const draft = await makeDraft()
    const note = await app.within(() => makeNote({ author_id: author.id }))
    const client = await auto.signInAs(stranger.email)
    const answers = await Promise.all([
      client.delete(`/api/notes/${draft.id}`),
      client.delete(`/api/notes/${note.id}`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 403])
  })
})
