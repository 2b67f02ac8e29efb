import { describe, expect, it } from 'vitest'
import type { Page } from '#framework'
import { expectParity } from '#app/test/expect-parity.ts'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { makePost } from './post.factory.ts'
import { posts } from './post.repository.ts'
import { Post } from './post.ts'

const app = await testApp()
const [aliceUser, bobUser, adminUser] = await app.within(() =>
  Promise.all([
    makeUser({ name: 'Alice' }),
    makeUser({ name: 'Bob' }),
    makeUser({ name: 'Admin', roles: ['admin'] }),
  ]),
)
const [alice, bob, admin] = await Promise.all(
  [aliceUser, bobUser, adminUser].map(({ email }) => app.signInAs(email)),
)
if (!alice || !bob || !admin) throw new Error('Nobody signed in.')

const stored = (id: number) => app.within(() => posts.find(id))
const makeBobs = (values: Partial<Post> = {}) =>
  app.within(() => makePost({ author_id: bobUser.id, ...values }))

describe('GET /posts', () => {
  it('lists published posts to guests, and the reader’s own drafts too', async () => {
    const draft = await makeBobs({ title: 'A draft of Bob’s', published: false })
    const lists = await Promise.all([app.guest, alice, bob, admin].map((reader) => reader.get('/posts')))
    expect(lists.map(({ text }) => text.includes(`/posts/${draft.id}"`))).toEqual([false, false, true, true])
  })

  it('shows authors by name and nobody’s email', async () => {
    await makeBobs()
    const { text } = await admin.get('/posts')
    expect(text).toContain('Bob')
    expect(text).not.toContain(bobUser.email)
  })

  it('offers to edit and delete only what the policy allows', async () => {
    const mine = await makeBobs()
    const theirs = await app.within(() => makePost({ author_id: aliceUser.id }))
    const { text } = await bob.get('/posts?size=100')
    expect(text).toContain(`/posts/${mine.id}/edit`)
    expect(text).not.toContain(`/posts/${theirs.id}/edit`)
  })

  it('escapes hostile titles', async () => {
    const post = await makeBobs({ title: '<script>alert(1)</script>' })
    const pages = await Promise.all(
      ['/posts', `/posts/${post.id}`, `/posts/${post.id}/edit`].map((path) => bob.get(path)),
    )
    for (const { text } of pages) expect(text).not.toContain('<script>alert')
  })

  it('never fails on page parameters', async () => {
    for (const query of [
      'page=abc&size=200',
      'page=0',
      'page=-1',
      'size=0',
      'page=9999999999999',
      'page[a]=1',
      'page=%zz',
    ]) {
      expect((await app.guest.get(`/posts?${query}`)).status).toBe(200)
    }
  })
})

describe('POST /posts', () => {
  it('stores the post as the writer’s, and says so on the page it leads to', async () => {
    const answer = await bob.post('/posts', {
      form: { title: 'Hops', body: 'Cut them back.', published: 'on' },
    })
    expect(answer.status).toBe(303)
    const location = answer.headers.get('location') ?? ''
    const post = await stored(Number(location.split('/').at(-1)))
    expect(post).toMatchObject({ title: 'Hops', published: true, author_id: bobUser.id })
    const page = await bob.get(location)
    expect(page.text).toMatch(/role="status"[^>]*>\s*<p class="flash/)
    expect((await bob.get(location)).text).not.toContain('class="flash')
  })

  it('answers 422 with the values kept and the errors beside their fields', async () => {
    const { status, text } = await bob.post('/posts', { form: { title: '  ', body: 'Kept <as> typed' } })
    expect(status).toBe(422)
    expect(text).toContain('Write something.')
    expect(text).toMatch(/<input[^>]* name="title"[^>]* aria-describedby="[^"]*title-error/)
    expect(text).toContain('Kept &lt;as&gt; typed')
  })

  it.each(['\u200b', '\u202e\u00a0', 'two\nlines', 'a\u0007bell'])('refuses the title %j', async (title) => {
    expect((await bob.post('/posts', { form: { title, body: 'B' } })).status).toBe(422)
  })

  it.each(['author_id', 'id', 'created_at', 'colour'])('refuses a field named %s', async (field) => {
    const form = { title: 'T', body: 'B', [field]: '1' }
    expect((await bob.post('/posts', { form })).status).toBe(422)
  })

  it('sends guests to sign in and back to the page they came from', async () => {
    const referer = `${app.url}/posts?page=2`
    const answer = await app.guest.post('/posts', { form: { title: 'T', body: 'B' }, headers: { referer } })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/login?return_to=%2Fposts%3Fpage%3D2')
  })
})

describe('PUT /posts/:id', () => {
  const put = { _method: 'PUT' }

  it('writes what changed and leads back to the post', async () => {
    const post = await makeBobs()
    const answer = await bob.post(`/posts/${post.id}`, {
      form: { ...put, title: 'New', body: post.body, published: 'on' },
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/posts/${post.id}`])
    expect(await stored(post.id)).toEqual({ ...post, title: 'New' })
  })

  it('unpublishes when the box is not checked', async () => {
    const post = await makeBobs()
    await bob.post(`/posts/${post.id}`, { form: { ...put, title: post.title, body: post.body } })
    expect(await stored(post.id)).toMatchObject({ published: false })
  })

  it('is refused to others, who find nothing there', async () => {
    const post = await makeBobs()
    const answer = await alice.post(`/posts/${post.id}`, { form: { ...put, title: 'Mine now', body: 'B' } })
    expect(answer.status).toBe(404)
    expect(await stored(post.id)).toEqual(post)
  })

  it('asks the policy before it reads the form', async () => {
    const post = await makeBobs()
    expect((await alice.post(`/posts/${post.id}`, { form: { ...put, title: '' } })).status).toBe(404)
    expect((await bob.post(`/posts/${post.id}`, { form: { ...put, title: '' } })).status).toBe(422)
  })
})

describe('DELETE /posts/:id', () => {
  it('removes the post and says so', async () => {
    const post = await makeBobs()
    const answer = await bob.post(`/posts/${post.id}`, { form: { _method: 'DELETE' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/posts'])
    expect(await stored(post.id)).toBeNull()
  })

  it('is open to admins and closed to others', async () => {
    const post = await makeBobs()
    expect((await alice.post(`/posts/${post.id}`, { form: { _method: 'DELETE' } })).status).toBe(404)
    expect((await admin.post(`/posts/${post.id}`, { form: { _method: 'DELETE' } })).status).toBe(303)
  })
})

describe('/api/posts', () => {
  it('lists what the scope lists, with totals that count nothing else', async () => {
    const before = (await alice.get('/api/posts')).json() as Page<Post>
    await makeBobs({ published: false })
    const after = (await alice.get('/api/posts')).json() as Page<Post>
    expect(after.total_elements).toBe(before.total_elements)
    await makeBobs()
    expect(((await alice.get('/api/posts')).json() as Page<Post>).total_elements).toBe(
      before.total_elements + 1,
    )
  })

  it('lists exactly what the policy shows, for whoever asks', async () => {
    await app.within(() => makePost({ author_id: aliceUser.id, published: false }))
    await expectParity(app, Post)
  })

  it('creates, reads, changes and deletes', async () => {
    const created = await bob.post('/api/posts', { json: { title: 'Api', body: 'B' } })
    expect(created.status).toBe(201)
    const post = created.json() as Post
    expect(post).toMatchObject({ title: 'Api', published: false, author_id: bobUser.id })
    const path = created.headers.get('location') ?? ''
    expect(path).toBe(`/api/posts/${post.id}`)
    expect((await bob.get(path)).json()).toEqual(post)
    expect((await bob.put(path, { json: { title: 'Changed' } })).json()).toEqual({
      ...post,
      title: 'Changed',
    })
    const gone = await bob.delete(path)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await bob.get(path)).status).toBe(404)
  })

  it('takes back what it gave: read, change, write', async () => {
    const post = await makeBobs()
    const answer = await bob.put(`/api/posts/${post.id}`, { json: { ...post, body: 'Rewritten' } })
    expect([answer.status, answer.json()]).toEqual([200, { ...post, body: 'Rewritten' }])
  })

  it.each([
    ['author_id', 999_999],
    ['id', 999_999],
    ['created_at', '2020-01-01T00:00:00.000000Z'],
    ['colour', 'red'],
    ['__proto__', { published: false }],
  ])('refuses a change of %s, names it, and writes nothing', async (field, value) => {
    const post = await makeBobs()
    const body = `{"title":"Other",${JSON.stringify(field)}:${JSON.stringify(value)}}`
    const headers = { 'content-type': 'application/json' }
    const answer = await bob.put(`/api/posts/${post.id}`, { body, headers })
    expect(answer.status).toBe(422)
    expect(answer.json()).toMatchObject({ code: 'invalid', errors: [{ field }] })
    expect(await stored(post.id)).toEqual(post)
  })

  it('states no version, and asks for none: posts have none', async () => {
    const { id } = await makeBobs()
    const put = await bob.put(`/api/posts/${id}`, { json: { title: 'New' } })
    for (const { headers } of [put, await bob.get(`/api/posts/${id}`)])
      expect(headers.get('etag') ?? '').not.toMatch(/^"/)
  })

  it('leaves alone what was not sent, also where the schema would have stored it otherwise', async () => {
    const { id } = await app.within(() => makePost({ author_id: bobUser.id, title: ' As it came ' }))
    expect((await bob.put(`/api/posts/${id}`, { json: { body: 'New' } })).status).toBe(200)
    expect(await stored(id)).toMatchObject({ title: ' As it came ', body: 'New' })
  })

  it.each([
    ['{"title":7}', 422],
    ['{"body":"A\\u0000"}', 422],
    ['{"body":"A\\ud800"}', 422],
    ['[]', 422],
    ['"text"', 422],
    ['{"title":', 400],
  ])('answers %s with %i', async (body, status) => {
    const post = await makeBobs()
    const answer = await bob.put(`/api/posts/${post.id}`, {
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(await stored(post.id)).toEqual(post)
  })

  it('reads nothing but JSON, and asks the policy before it looks', async () => {
    const post = await makeBobs()
    const text = { body: '{"title":"x"}', headers: { 'content-type': 'text/plain' } }
    expect((await bob.put(`/api/posts/${post.id}`, text)).status).toBe(415)
    expect((await alice.put(`/api/posts/${post.id}`, text)).status).toBe(404)
  })

  it.each(['abc', '01', '1e0', '-1', '9'.repeat(40), '9007199254740993', '%00', '1.0', '%201', '0'])(
    'finds nothing under the id %s',
    async (id) => {
      const answer = await admin.get(`/api/posts/${id}`)
      expect([answer.status, (answer.json() as { code: string }).code]).toEqual([404, 'not_found'])
    },
  )

  it('lets guests read what the policy shows and write nothing', async () => {
    const post = await makeBobs()
    const path = `/api/posts/${post.id}`
    expect((await app.guest.get(path)).status).toBe(200)
    const writes = [
      app.guest.post('/api/posts', { json: {} }),
      app.guest.put(path, { json: {} }),
      app.guest.delete(path),
    ]
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([401, 401, 401])
  })

  it('answers other methods with 405 and what the path knows', async () => {
    const answer = await bob.send('PATCH', '/api/posts/1')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE'])
  })

  it('pages by the rules: page=abc&size=200 is page 1 of a hundred', async () => {
    const page = (await bob.get('/api/posts?page=abc&size=200')).json() as Page<Post>
    expect([page.page, page.size]).toEqual([1, 100])
  })
})
