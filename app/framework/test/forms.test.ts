import { describe, expect, it } from 'vitest'
import { makeNote, type Note } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'

const app = await testApp()
const [alice, bob, admin] = await Promise.all([
  app.newcomer({ name: 'Alice' }),
  app.newcomer({ name: 'Bob' }),
  app.newcomer({ name: 'Admin', roles: ['admin'] }),
])

const makeBobs = (values: Partial<Note> = {}) =>
  app.within(() => makeNote({ author_id: bob.user.id, ...values }))

describe('the list of a resource', () => {
  it('shows the names of authors and no email addresses', async () => {
    await makeBobs()
    const { text } = await admin.get('/notes')
    expect(text).toContain('Bob')
    expect(text).not.toContain(bob.user.email)
  })

  it('shows edit and delete buttons only for allowed records', async () => {
    const mine = await makeBobs()
    const theirs = await app.within(() => makeNote({ author_id: alice.user.id }))
    const { text } = await bob.get('/notes?size=100')
    expect(text).toContain(`/notes/${mine.id}/edit`)
    expect(text).not.toContain(`/notes/${theirs.id}/edit`)
  })
})

describe('a form', () => {
  it.each(['\u200b', '\u202e\u00a0', 'two\nlines', 'a\u0007bell'])('rejects the title %j', async (title) => {
    expect((await bob.post('/notes', { form: { title, body: 'B' } })).status).toBe(422)
  })

  it('shortens the names of unknown fields', async () => {
    const names = Array.from({ length: 90 }, (_, n) => [`${'x'.repeat(2_000)}${n}`, 'y'] as const)
    const { status, text } = await bob.post('/notes', { form: Object.fromEntries(names) })
    expect([status, text.length < 50_000]).toEqual([422, true])
  })

  it('redirects guests to sign in, and then back to the page with the form', async () => {
    const referer = `${app.url}/notes?page=2`
    const answer = await app.guest.post('/notes', { form: { title: 'T', body: 'B' }, headers: { referer } })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/login?return_to=%2Fnotes%3Fpage%3D2')
  })

  it.each(['https://evil.example/notes?page=2', 'not a url', undefined])(
    'redirects guests from %s to the start page after the sign-in',
    async (referer) => {
      const headers = referer === undefined ? {} : { referer }
      const answer = await app.guest.post('/notes', { form: { title: 'T', body: 'B' }, headers })
      expect(answer.headers.get('location')).toBe('/login?return_to=%2F')
    },
  )

  it('calls the policy before it reads the form', async () => {
    const note = await makeBobs()
    const put = { _method: 'PUT', body: 'B' }
    expect((await alice.post(`/notes/${note.id}`, { form: { ...put, title: '' } })).status).toBe(404)
    expect((await bob.post(`/notes/${note.id}`, { form: { ...put, title: '' } })).status).toBe(422)
  })

  it('escapes submitted values in the next response', async () => {
    const { status, text } = await bob.post('/notes', { form: { title: '  ', body: 'Kept <as> typed' } })
    expect(status).toBe(422)
    expect(text).toMatch(/<input[^>]* name="title"[^>]* aria-describedby="[^"]*title-error/)
    expect(text).toContain('Kept &lt;as&gt; typed')
  })

  it('shows its message once', async () => {
    const answer = await bob.post('/notes', { form: { title: 'Hops', body: 'Cut them back.' } })
    const pages = [await follow(answer), await follow(answer)]
    expect(pages.map(({ text }) => text.includes('class="flash'))).toEqual([true, false])
  })

  const follow = ({ headers }: { headers: Headers }) => bob.get(headers.get('location') ?? '')

  it('that deletes is allowed for admins and denied for others', async () => {
    const note = await makeBobs()
    expect((await alice.post(`/notes/${note.id}`, { form: { _method: 'DELETE' } })).status).toBe(404)
    expect((await admin.post(`/notes/${note.id}`, { form: { _method: 'DELETE' } })).status).toBe(303)
  })
})
