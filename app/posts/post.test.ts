import { describe, expect, it } from 'vitest'
import { expectParity } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { makePost } from './post.factory.ts'
import { posts } from './post.repository.ts'
import { Post } from './post.ts'

const app = await testApp()
const [owner, stranger] = await Promise.all([app.newcomer(), app.newcomer()])
const admin = await app.newcomer({ roles: ['admin'] })
const readers = [app.guest, stranger, owner, admin]

/** The form fields as sent, and the values that are stored for them. */
const form = { title: 'Title 51', body: 'Body 51', published: 'on' }
const values = { title: 'Title 51', body: 'Body 51', published: true }

const make = (overrides: Partial<Post> = {}) =>
  app.within(() => makePost({ author_id: owner.user.id, ...overrides }))
const stored = (id: number) => app.within(() => posts.asSystem('test').find(id))
const idIn = (path: string | null) => Number(path?.split('/').at(-1))

const etag = async (path: string) => ({ 'if-match': (await owner.get(path)).headers.get('etag') ?? '' })

describe('GET /posts', () => {
  it('lists drafts only to the owner and admins', async () => {
    const { id } = await make({ published: false })
    const lists = await Promise.all(readers.map((reader) => reader.get('/posts')))
    expect(lists.map(({ text }) => text.includes(`href="/posts/${id}"`))).toEqual([false, false, true, true])
  })

  it('lists exactly the records that the policy shows to each caller', async () => {
    await Promise.all([make({ published: false }), app.within(() => makePost())])
    await expectParity(app, Post)
  })

  it('escapes HTML in the input of users', async () => {
    const { id } = await make({ title: '<script>alert(1)</script>' })
    for (const path of ['', `/${id}`, `/${id}/edit`])
      expect((await owner.get(`/posts${path}`)).text).not.toContain('<script>alert')
    expect((await owner.get(`/posts/${id}`)).text).toContain('&lt;script&gt;alert')
  })

  it.each(['page=abc&size=200', 'page=0', 'page[a]=%zz', 'sort=up&dir=7'])('ignores %s', async (query) => {
    expect((await owner.get(`/posts?${query}`)).status).toBe(200)
  })
})

describe('POST /posts', () => {
  it('stores the input for the signed-in user and flashes a message', async () => {
    const answer = await owner.post('/posts', { form })
    expect(answer.status).toBe(303)
    const path = answer.headers.get('location')
    expect(await stored(idIn(path))).toMatchObject({ ...values, author_id: owner.user.id })
    expect((await owner.get(path ?? '')).text).toMatch(/role="status"[^>]*>\s*<div class="flash/)
  })

  it.each([
    ['title', '', 'Body 51'],
    ['body', '', 'Title 51'],
  ])('rejects %s=%j with an error beside the field', async (field, typed, kept) => {
    const { status, text } = await owner.post('/posts', { form: { ...form, [field]: typed } })
    expect([status, text.match(/id="\w+-error"/g)]).toEqual([422, [`id="${field}-error"`]])
    expect(text).toContain(kept)
  })

  it.each(['id', 'author_id', 'created_at', 'colour'])('rejects a field named %s', async (field) => {
    expect((await owner.post('/posts', { form: { ...form, [field]: '1' } })).status).toBe(422)
  })

  it('redirects guests to the sign-in page', async () => {
    const answer = await app.guest.post('/posts', { form })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/login/)])
  })
})

describe('/posts/:id', () => {
  it('shows drafts only to the owner and admins', async () => {
    const { id } = await make({ published: false })
    const pages = await Promise.all(readers.map((reader) => reader.get(`/posts/${id}`)))
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 200, 200])
  })

  it('stores the changes', async () => {
    const post = await make()
    const answer = await owner.post(`/posts/${post.id}`, {
      form: { ...form, title: 'Title 52', _version: String(post.version), _method: 'PUT' },
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/posts/${post.id}`])
    expect(await stored(post.id)).toEqual({ ...post, ...values, title: 'Title 52', version: 2 })
  })

  it('returns 404 to strangers and changes nothing', async () => {
    const post = await make()
    const path = `/posts/${post.id}`
    const answers = await Promise.all([
      stranger.get(`${path}/edit`),
      stranger.post(path, { form: { ...form, _method: 'PUT' } }),
      stranger.post(path, { form: { _method: 'DELETE' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(await stored(post.id)).toEqual(post)
  })

  it('deletes the post', async () => {
    const { id } = await make()
    const answer = await owner.post(`/posts/${id}`, { form: { _method: 'DELETE' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/posts'])
    expect(await stored(id)).toBeNull()
  })
})

describe('/api/posts', () => {
  it('creates, reads, updates and deletes', async () => {
    const created = await owner.post('/api/posts', { json: values })
    expect([created.status, created.json()]).toMatchObject([201, { ...values, author_id: owner.user.id }])
    const path = created.headers.get('location') ?? ''
    expect((await owner.get(path)).json()).toEqual(created.json())
    const changed = await owner.put(path, { json: { title: 'Title 52' }, headers: await etag(path) })
    expect([changed.status, changed.json()]).toMatchObject([200, { ...values, title: 'Title 52' }])
    expect((await owner.delete(path, { headers: await etag(path) })).status).toBe(204)
    expect((await owner.get(path)).status).toBe(404)
  })

  it.each(['id', 'author_id', 'created_at', 'colour'])(
    'rejects a change of %s, names the field, and writes nothing',
    async (field) => {
      const post = await make()
      const path = `/api/posts/${post.id}`
      const answer = await owner.put(path, {
        json: { title: 'Title 52', [field]: 999_999 },
        headers: await etag(path),
      })
      expect(answer.status).toBe(422)
      expect(answer.json()).toMatchObject({ errors: [{ field }] })
      expect(await stored(post.id)).toEqual(post)
    },
  )

  it('returns 401 to guests and 404 to strangers', async () => {
    const post = await make()
    const path = `/api/posts/${post.id}`
    const writes = [app.guest, stranger].flatMap((client) => [client.put(path), client.delete(path)])
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([401, 401, 404, 404])
    expect(await stored(post.id)).toEqual(post)
  })
})
