import { describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'

const database = await testDatabase()
const app = await testApp({ database })
const [member, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])

describe('GET /', () => {
  it('links the public lists and the sign-in page for a guest, without a statement', async () => {
    database.statements.length = 0
    const { text } = await app.guest.get('/')
    expect(text).toMatch(/look around as a guest: <a href="/)
    expect(text).toContain('class="button" href="/login"')
    expect(database.statements).toEqual([])
  })

  it('lists the newest records of the lists that the user may open', async () => {
    const heading = '<h2><a href="/users">Users</a></h2>'
    expect((await admin.get('/')).text).toContain(heading)
    expect((await member.get('/')).text).not.toContain(heading)
  })
})
