import { describe, expect, it } from 'vitest'
import { testApp } from '#app/test/test-app.ts'

const app = await testApp()

const choose = (theme: string, referer = `${app.url}/notes?page=2`) =>
  app.guest.post('/theme', { form: { theme }, headers: { referer } })
const htmlTag = async () => /<html[^>]*>/.exec((await app.guest.get('/')).text)?.[0]

describe('POST /theme', () => {
  it('stores the choice in a cookie, and returns to the page', async () => {
    const answer = await choose('dark')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/notes?page=2'])
    expect(answer.headers.getSetCookie().join()).toMatch(/^theme=dark; .*HttpOnly; SameSite=Lax/)
    expect(await htmlTag()).toContain('data-theme="dark"')
    await choose('light')
    expect(await htmlTag()).toContain('data-theme="light"')
  })

  it.each(['system', 'pink', ''])('deletes the cookie for %j', async (theme) => {
    await choose('dark')
    await choose(theme)
    expect(await htmlTag()).not.toContain('data-theme')
  })

  it('returns 415 for a body that is not a form', async () => {
    expect((await app.guest.post('/theme')).status).toBe(415)
    expect((await app.guest.post('/theme', { json: { theme: 'dark' } })).status).toBe(415)
  })

  it('returns to no other site', async () => {
    expect((await choose('dark', 'https://example.org/notes')).headers.get('location')).toBe('/')
  })
})
