import { describe, expect, it } from 'vitest'
import { noteHistoryRoutes, recordedNotes } from './fixtures/note-history.controller.ts'
import { noteRoutes } from './fixtures/note.controller.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

const app = await testApp({
  resources: [
    { repository: recordedNotes, routes: { noteRoutes, noteHistoryRoutes } },
    { repository: users },
  ],
})
const author = await app.newcomer({ name: 'Ann <b>' })
const system = recordedNotes.asSystem('an import')
const make = () =>
  app.within(() => system.insert({ title: 'One', body: '<i>', published: true, author_id: author.user.id }))
const inline = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('the partial history', () => {
  it('shows who changed which field, with escaped values', async () => {
    const { id } = await make()
    await app.within(() => system.update(id, { body: '<script>' }))
    const text = inline((await app.guest.get(`/notes/${id}/history`)).text)
    expect(text).toContain('Changed by <span dir="auto">an import</span>')
    expect(text).toContain('<dt>Body</dt> <dd dir="auto"><del>&lt;i&gt;</del> <ins>&lt;script&gt;</ins></dd>')
    expect(text).toContain('<dt>Title</dt> <dd dir="auto"><ins>One</ins></dd>')
    expect(text.indexOf('Changed by')).toBeLessThan(text.indexOf('Created by'))
  })

  it('shows the name of a user, or the id of a deleted one', async () => {
    const { id } = await make()
    await app.db
      .insertInto('record_changes')
      .values(
        [author.user.id, 999_999].map((actor_id) => ({
          resource: 'Note',
          record_id: String(id),
          action: 'update' as const,
          actor_id,
          system: null,
          request_id: null,
          changes: '{}',
        })),
      )
      .execute()
    const { text } = await app.guest.get(`/notes/${id}/history`)
    expect(text).toContain('Ann &lt;b&gt;')
    expect(text).toContain('deleted user 999999')
  })

  it('links to older changes without JavaScript', async () => {
    const { id } = await make()
    for (const title of ['Two', 'Three']) await app.within(() => system.update(id, { title }))
    const { text } = await app.guest.get(`/notes/${id}/history?history_size=2`)
    const [, next = ''] = /href="([^"]*history_cursor=[^"]*)"/.exec(text) ?? []
    const older = (await app.guest.get(next.replaceAll('&amp;', '&'))).text
    expect(text).not.toContain('Created by')
    expect(older).toContain('Created by')
  })

  it('explains that nothing was recorded', async () => {
    const { id } = await make()
    await app.db.deleteFrom('record_changes').execute()
    expect((await app.guest.get(`/notes/${id}/history`)).text).toContain('There are no recorded changes.')
  })
})
