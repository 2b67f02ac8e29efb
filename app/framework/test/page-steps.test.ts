import { describe, expect, it } from 'vitest'
import { authorize, type Handler, load, policy, publicRoute, record, routes, secured } from 'pergola'
import { makeNote, Note, notePolicy, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'

const page: Handler = async (req, res) => {
  const list = await notes.pageFor(req, { where: (is) => is('title', 'like', 'Kept%') })
  res.json({ ...list, may: list.page.content.map((note) => list.may(note, 'update')) })
}
const cursorPage: Handler = async (req, res) => {
  const list = await notes.cursorPageFor(req, { actions: ['delete'] })
  // @ts-expect-error -- this action was not decided on
  const may = list.page.content.map((note) => [list.may(note, 'update'), list.may(note, 'delete')])
  res.json({ ...list, may })
}
const create: Handler = async (req, res) => void res.json(await notes.createFrom(req))
const update: Handler = async (req, res) =>
  void res.json(await notes.updateFrom(req, record(req, Note, 'update')))

const app = await testApp({
  tables: [
    routes('/steps', {
      'GET /': [publicRoute(), page],
      'GET /cursor': [publicRoute(), cursorPage],
      'POST /': [secured(), authorize('create', Note), create],
      'PUT /:id': [secured(), load(Note), authorize('update', Note), update],
    }),
  ],
})
const [owner, stranger] = await Promise.all([app.newcomer(), app.newcomer()])
const make = (values: Partial<Note>) =>
  app.within(() => makeNote({ author_id: owner.user.id, body: 'Body', ...values }))

interface Listed {
  page: { content: Note[]; total_elements: number }
  query: { q: string }
  may: unknown[]
  mayCreate: boolean
}

describe('pageFor', () => {
  it('lists the rows that the caller sees, the URL requests and the condition keeps, with the decisions', async () => {
    await make({ title: 'Kept draft', published: false })
    await make({ title: 'Kept', published: true })
    await make({ title: 'Other', published: true })
    const list = async (client: typeof app.guest, url: string) => (await client.get(url)).json() as Listed
    const own = await list(owner, '/steps?sort=title&dir=desc')
    expect(own.page.content.map(({ title }) => title)).toEqual(['Kept draft', 'Kept'])
    expect([own.may, own.mayCreate, own.page.total_elements]).toEqual([[true, true], true, 2])
    const others = await list(stranger, '/steps?q=kept')
    expect(others.page.content.map(({ title }) => title)).toEqual(['Kept'])
    expect([others.may, others.query.q]).toEqual([[false], 'kept'])
    expect((await list(app.guest, '/steps')).mayCreate).toBe(false)
  })

  it('counts up to 1,000 rows', async () => {
    const note = { title: 'Kept of many', body: 'Body', author_id: owner.user.id }
    await app.within(() => notes.asSystem('test').saveMany(Array.from({ length: 1_001 }, () => note)))
    const { page } = (await owner.get('/steps?q=of+many')).json() as Listed
    expect(page).toMatchObject({ total_elements: 1_000, total_is_capped: true })
  })
})

describe('the draft of a list', () => {
  it('is what mayCreate decides on', async () => {
    const listFor: Handler = async (req, res) => {
      const draft = { title: req.query['for'] as string }
      const lists = [await notes.pageFor(req, { draft }), await notes.cursorPageFor(req, { draft })]
      res.json(lists.map((list) => list.mayCreate))
    }
    const strict = await testApp({
      database: app.database,
      tables: [routes('/steps', { 'GET /': [publicRoute(), listFor] })],
      policies: [
        [Note, policy(Note, { ...notePolicy.rules, canCreate: (_ctx, note) => note.title === 'Allowed' })],
      ],
    })
    const answers = ['Allowed', 'Other'].map((title) => strict.guest.get(`/steps?for=${title}`))
    expect((await Promise.all(answers)).map((answer) => answer.json())).toEqual([
      [true, true],
      [false, false],
    ])
  })
})

describe('cursorPageFor', () => {
  it('decides on the given actions only', async () => {
    await make({ title: 'Newest', published: true })
    const { may, page } = (await owner.get('/steps/cursor?size=1')).json() as Listed
    expect([page.content[0]?.title, may]).toEqual(['Newest', [[false, true]]])
  })
})

describe('createFrom and updateFrom', () => {
  const form = { title: 'Written', body: 'Body' }

  it('store the form for its caller', async () => {
    const created = (await owner.post('/steps', { form })).json() as { valid: boolean; stored: Note }
    expect(created).toMatchObject({ valid: true, stored: { ...form, author_id: owner.user.id } })
    const changed = await owner.put(`/steps/${created.stored.id}`, { form: { ...form, title: 'Changed' } })
    expect(changed.json()).toMatchObject({ valid: true, stored: { title: 'Changed' } })
    expect((await stranger.put(`/steps/${created.stored.id}`, { form })).status).toBe(404)
  })

  it('return an invalid form with its status and errors', async () => {
    const { id } = await make({ title: 'Kept as it is' })
    const invalid = { valid: false, status: 422, errors: { title: [expect.any(String)] } }
    expect((await owner.post('/steps', { form: { ...form, title: '' } })).json()).toMatchObject(invalid)
    expect((await owner.put(`/steps/${id}`, { form: { ...form, title: '' } })).json()).toMatchObject(invalid)
    expect(await app.within(() => notes.asSystem('test').find(id))).toMatchObject({ title: 'Kept as it is' })
  })
})
