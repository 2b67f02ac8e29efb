import { describe, expect, it } from 'vitest'
import { type Page, repository } from 'pergola'
import { makePost } from '#app/posts/post.factory.ts'
import { posts } from '#app/posts/post.repository.ts'
import { Post } from '#app/posts/post.ts'
import { testApp } from '#app/test/test-app.ts'
import { users } from '#app/users/user.repository.ts'

const app = await testApp()
const [alice, bob, admin] = await Promise.all([
  app.newcomer({ name: 'Alice' }),
  app.newcomer({ name: 'Bob' }),
  app.newcomer({ name: 'Admin', roles: ['admin'] }),
])

const stored = (id: number) => app.within(() => posts.find(id))
const makeBobs = (values: Partial<Post> = {}) =>
  app.within(() => makePost({ author_id: bob.user.id, ...values }))

describe('an API with apiReading: secured', async () => {
  const members = repository(Post, { ...posts.options, api: '/api/posts', apiReading: 'secured' })
  const closed = await testApp({ resources: [{ repository: members }, { repository: users }] })
  const reader = await closed.newcomer()

  it('asks guests to sign in, whatever they ask for', async () => {
    const { id } = await closed.within(() => makePost({ published: true }))
    const answers = ['/api/posts', `/api/posts/${id}`, '/api/posts/999999'].map((path) =>
      closed.guest.get(path),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 401])
    expect((await reader.get(`/api/posts/${id}`)).status).toBe(200)
  })
})

describe('the JSON API of a resource', () => {
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

  it('creates, reads, changes and deletes', async () => {
    const created = await bob.post('/api/posts', { json: { title: 'Api', body: 'B' } })
    expect(created.status).toBe(201)
    const post = created.json() as Post
    expect(post).toMatchObject({ title: 'Api', published: false, author_id: bob.user.id })
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
    const { id } = await app.within(() => makePost({ author_id: bob.user.id, title: ' As it came ' }))
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
