import { describe, expect, it } from 'vitest'
import { scope } from 'pergola'
import { makeNote, Note } from './fixtures/note.ts'
import { makeUser } from './fixtures/user.ts'
import { expectParity, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'

const database = await testDatabase()
const withScope = (where: Parameters<typeof scope<typeof Note>>[1]['where']) =>
  testApp({ database, scopes: [[Note, scope(Note, { where })]] })
const app = await testApp({ database })
const alice = await app.within(() => makeUser({ name: 'Alice' }))
const draft = await app.within(() => makeNote({ author_id: alice.id, published: false }))

describe('expectParity', () => {
  it('fails if no user sees only some of the rows', async () => {
    const degenerate = await testApp()
    await degenerate.within(() => makeNote())
    await expect(expectParity(degenerate, Note)).rejects.toThrow('Every user sees all 1 rows or none')
  })

  it('fails if a list shows a record that the policy denies, and names the user', async () => {
    await app.within(() => makeNote({ author_id: alice.id }))
    await expectParity(app, Note)
    const leaking = await withScope((_ctx, is) => is.lit(true))
    await expect(expectParity(leaking, Note)).rejects.toThrow(`a guest: Note ${draft.id}`)
  })

  it('fails if a list omits a record that the policy allows, unless unlisted is true', async () => {
    const narrow = await withScope((_ctx, is) => is('published', '=', true))
    await expect(expectParity(narrow, Note)).rejects.toThrow(`Alice: Note ${draft.id}`)
    await expectParity(narrow, Note, { unlisted: true })
  })
})
