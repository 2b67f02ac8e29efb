import { describe, expect, it } from 'vitest'
import { authorizeRecord, type Handler, policyContext, routes, secured } from 'pergola'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

/** Authorizes and updates every note that the caller sees. */
const mark: Handler = async (req, res) => {
  for await (const note of notes.visibleTo(await policyContext(req)).findEach(2))
    await notes.update(
      await authorizeRecord(req, 'update', Note, note),
      { title: 'Marked' },
      { set: ['title'] },
    )
  res.end()
}
const markUndecided: Handler = async (req) => {
  for await (const note of notes.visibleTo(await policyContext(req)).findEach(2))
    await notes.update(note as never, { title: 'Stolen' }, { set: ['title'] })
}

const marking = routes('/marking', {
  'POST /': [secured(), mark],
  'POST /undecided': [secured(), markUndecided],
})
const app = await testApp({ resources: [{ repository: notes, routes: { marking } }, { repository: users }] })
const bob = await app.within(() => makeUser())
const client = await app.signInAs(bob.email)

describe('a row of a walk', () => {
  it('is loaded again for the decision, and then written', async () => {
    const made = await app.within(() =>
      Promise.all([1, 2, 3].map(() => makeNote({ author_id: bob.id, published: false }))),
    )
    app.statements.length = 0
    expect((await client.post('/marking')).status).toBe(200)
    const titles = await app.within(() => Promise.all(made.map(({ id }) => notes.asSystem('test').find(id))))
    expect(titles.map((note) => note?.title)).toEqual(['Marked', 'Marked', 'Marked'])
  })

  it('can’t be written without a decision', async () => {
    app.statements.length = 0
    expect((await client.post('/marking/undecided')).status).toBe(500)
    expect(app.statements.filter((text) => text.startsWith('update "notes"'))).toEqual([])
  })

  it('of another user is denied like a missing row', async () => {
    const { id } = await app.within(() => makeNote())
    expect((await client.post('/marking')).status).toBe(404)
    expect((await app.within(() => notes.asSystem('test').find(id)))?.title).not.toBe('Marked')
  })
})
