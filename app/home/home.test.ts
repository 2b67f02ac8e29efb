import { describe, expect, it } from 'vitest'
import { resources } from '#app/resources.ts'
import { makeTestNote, testNoteApp, testNoteDatabase, testNoteResource } from '#app/test/test-note.ts'

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

  it('shows the newest records in the scope of the user, with their pages and the form of a new one', async () => {
    await app.within(async () => {
      for (let number = 1; number <= 6; number++) await makeTestNote({ title: `Note ${number}` })
      await makeTestNote({ title: 'Draft', published: false })
    })
    expect(notesIn((await member.get('/')).text)).toEqual(['Note 6', 'Note 5', 'Note 4', 'Note 3', 'Note 2'])
    const { text } = await admin.get('/')
    expect(notesIn(text)).not.toContain('Draft')
    expect(text).toContain('href="/test-notes/new"')
  })

  it('sends one statement for each list', async () => {
    await member.get('/')
    database.statements.length = 0
    await member.get('/')
    expect(database.statements.filter((statement) => statement.includes('"test_notes"'))).toHaveLength(1)
  })
})

const notesIn = (html: string) =>
  [...html.matchAll(/<li><a href="\/test-notes\/\d+"[^>]*>([^<]*)<\/a>/g)].map(([, label]) => label)
