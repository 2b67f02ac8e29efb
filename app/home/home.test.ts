import { describe, expect, it } from 'vitest'
import { resources } from '#app/resources.ts'
import { testNoteApp, testNoteDatabase, testNoteResource } from '#app/test/test-note.ts'

const database = await testNoteDatabase()
const app = await testNoteApp({ database, resources: [...resources, { ...testNoteResource, nav: 'Notes' }] })
const [member, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])

describe('GET /', () => {
  it('links the public lists and the sign-in page for a guest, without a statement', async () => {
    database.statements.length = 0
    const { text } = await app.guest.get('/')
    expect(text).toMatch(/look around as a guest: .*<a href="\/test-notes">Notes<\/a>/)
    expect(text).toContain('class="button" href="/login"')
    expect(database.statements).toEqual([])
  })

  it('lists the newest records of the lists that the user may open', async () => {
    const heading = '<h2><a href="/users">Users</a></h2>'
    expect((await admin.get('/')).text).toContain(heading)
    expect((await member.get('/')).text).not.toContain(heading)
  })
})
