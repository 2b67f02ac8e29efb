import { describe, expect, it } from 'vitest'
import { type Page, policy, repository } from 'pergola'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

const app = await testApp()
const [alice, bob, admin] = await Promise.all([
  app.newcomer({ name: 'Alice' }),
  app.newcomer({ name: 'Bob' }),
  app.newcomer({ name: 'Admin', roles: ['admin'] }),
])

const stored = (id: number) => app.within(() => notes.asSystem('test').find(id))
const makeBobs = (values: Partial<Note> = {}) =>
  app.within(() => makeNote({ author_id: bob.user.id, ...values }))

describe('an API with apiReading: secured', async () => {
  const members = repository(Note, { ...notes.options, api: '/api/notes', apiReading: 'secured' })
  const closed = await testApp({ resources: [{ repository: members }, { repository: users }] })
  const reader = await closed.newcomer()

  it('returns 401 to guests for every URL', async () => {
    const { id } = await closed.within(() => makeNote({ published: true }))
    const answers = ['/api/notes', `/api/notes/${id}`, '/api/notes/999999'].map((path) =>
      closed.guest.get(path),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 401])
    expect((await reader.get(`/api/notes/${id}`)).status).toBe(200)
  })
})

describe('an application with another apiPrefix', async () => {
  const served = repository(Note, { ...notes.options, api: '/rest/v1/notes' })
  const resources = [{ repository: served }, { repository: users }]
  const rest = await testApp({ resources, apiPrefix: '/rest/v1' })

  it('serves the JSON API below it, with errors as JSON', async () => {
    const { id } = await rest.within(() => makeNote({ title: 'Rest' }))
    expect((await rest.guest.get(`/rest/v1/notes/${id}`)).json()).toMatchObject({ title: 'Rest' })
    const writer = await rest.newcomer()
    const created = await writer.post('/rest/v1/notes', { json: { title: 'Rest', body: 'B' } })
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      expect.stringMatching(/^\/rest\/v1\/notes\/\d+$/),
    ])
    for (const path of ['/rest/v1/notes/0', '/rest/v1/nothing']) {
      const missing = await rest.guest.get(path, { headers: { accept: 'text/html' } })
      expect([missing.status, missing.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json; charset=utf-8',
      ])
    }
  })

  it.each<[api: `/${string}`, apiPrefix: `/${string}`]>([
    ['/rest/v1/notes', '/api'],
    ['/api/notes', '/rest/v1'],
    ['/apiary/notes', '/api'],
    ['/api', '/api'],
  ])('does not start with the repository at %s and the prefix %s', async (api, apiPrefix) => {
    const outside = repository(Note, { ...notes.options, api })
    await expect(testApp({ resources: [{ repository: outside }], apiPrefix })).rejects.toThrow(
      `${outside.declaredAt}: the repository has api: '${api}', which is not below ` +
        `the application's apiPrefix, '${apiPrefix}'. Change api to '${apiPrefix}/…', or pass another apiPrefix to webApplication.`,
    )
  })
})

describe('an API whose policy denies the creation', async () => {
  const policies = [[Note, policy(Note, { canCreate: () => false })] as const]
  const denying = await testApp({ policies })
  const writer = await denying.newcomer()
  const post = async (body: string, type = 'application/json') => {
    const answer = await writer.post('/api/notes', { body, headers: { 'content-type': type } })
    return { status: answer.status, ...(answer.json() as object), request_id: null }
  }

  it.each([
    ['{"title":', 'application/json'],
    ['[]', 'application/json'],
    ['title=T', 'text/plain'],
    ['', 'application/json'],
  ])('responds to the body %j of the type %s as to a valid one', async (body, type) => {
    const denied = await post('{"title":"T","body":"B"}')
    expect(denied).toMatchObject({ status: 404, code: 'not_found' })
    expect(await post(body, type)).toEqual(denied)
  })
})

describe('the JSON API of a resource', () => {
  it('lists the rows of the scope, and counts only these', async () => {
    const before = (await alice.get('/api/notes')).json() as Page<Note>
    await makeBobs({ published: false })
    const after = (await alice.get('/api/notes')).json() as Page<Note>
    expect(after.total_elements).toBe(before.total_elements)
    await makeBobs()
    expect(((await alice.get('/api/notes')).json() as Page<Note>).total_elements).toBe(
      before.total_elements + 1,
    )
  })

  it('creates, reads, changes and deletes', async () => {
    const created = await bob.post('/api/notes', { json: { title: 'Api', body: 'B' } })
    expect(created.status).toBe(201)
    const note = created.json() as Note
    expect(note).toMatchObject({ title: 'Api', published: false, author_id: bob.user.id })
    const path = created.headers.get('location') ?? ''
    expect(path).toBe(`/api/notes/${note.id}`)
    expect((await bob.get(path)).json()).toEqual(note)
    expect((await bob.put(path, { json: { title: 'Changed' } })).json()).toEqual({
      ...note,
      title: 'Changed',
    })
    const gone = await bob.delete(path)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await bob.get(path)).status).toBe(404)
  })

  it('accepts its own representation: read, change, write', async () => {
    const note = await makeBobs()
    const answer = await bob.put(`/api/notes/${note.id}`, { json: { ...note, body: 'Rewritten' } })
    expect([answer.status, answer.json()]).toEqual([200, { ...note, body: 'Rewritten' }])
  })

  it.each([
    ['author_id', 999_999],
    ['id', 999_999],
    ['created_at', '2020-01-01T00:00:00.000000Z'],
    ['colour', 'red'],
    ['__proto__', { published: false }],
  ])('rejects a change of %s with a field error, and writes nothing', async (field, value) => {
    const note = await makeBobs()
    const body = `{"title":"Other",${JSON.stringify(field)}:${JSON.stringify(value)}}`
    const headers = { 'content-type': 'application/json' }
    const answer = await bob.put(`/api/notes/${note.id}`, { body, headers })
    expect(answer.status).toBe(422)
    expect(answer.json()).toMatchObject({ code: 'invalid', errors: [{ field }] })
    expect(await stored(note.id)).toEqual(note)
  })

  it('sends and requires no version, because notes have none', async () => {
    const { id } = await makeBobs()
    const put = await bob.put(`/api/notes/${id}`, { json: { title: 'New' } })
    for (const { headers } of [put, await bob.get(`/api/notes/${id}`)])
      expect(headers.get('etag') ?? '').not.toMatch(/^"/)
  })

  it('changes no column that was not sent, even if the schema would transform it', async () => {
    const { id } = await app.within(() => makeNote({ author_id: bob.user.id, title: ' As it came ' }))
    expect((await bob.put(`/api/notes/${id}`, { json: { body: 'New' } })).status).toBe(200)
    expect(await stored(id)).toMatchObject({ title: ' As it came ', body: 'New' })
  })

  it.each([
    ['{"title":7}', 422],
    ['{"body":"A\\u0000"}', 422],
    ['{"body":"A\\ud800"}', 422],
    ['[]', 422],
    ['"text"', 422],
    ['{"title":', 400],
  ])('responds to %s with %i', async (body, status) => {
    const note = await makeBobs()
    const answer = await bob.put(`/api/notes/${note.id}`, {
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(await stored(note.id)).toEqual(note)
  })

  it('accepts only JSON, and calls the policy before it reads the body', async () => {
    const note = await makeBobs()
    const text = { body: '{"title":"x"}', headers: { 'content-type': 'text/plain' } }
    expect((await bob.put(`/api/notes/${note.id}`, text)).status).toBe(415)
    expect((await alice.put(`/api/notes/${note.id}`, text)).status).toBe(404)
  })

  it.each(['abc', '01', '1e0', '-1', '9'.repeat(40), '9007199254740993', '%00', '1.0', '%201', '0'])(
    'returns 404 for the id %s',
    async (id) => {
      const answer = await admin.get(`/api/notes/${id}`)
      expect([answer.status, (answer.json() as { code: string }).code]).toEqual([404, 'not_found'])
    },
  )

  it('lets guests read the records that the policy allows, and write none', async () => {
    const note = await makeBobs()
    const path = `/api/notes/${note.id}`
    expect((await app.guest.get(path)).status).toBe(200)
    const writes = [
      app.guest.post('/api/notes', { json: {} }),
      app.guest.put(path, { json: {} }),
      app.guest.delete(path),
    ]
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([401, 401, 401])
  })

  it('responds to other methods with 405 and the allowed methods', async () => {
    const answer = await bob.send('PATCH', '/api/notes/1')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE'])
  })

  it('limits page and size: page=abc&size=200 is page 1 with 100 rows', async () => {
    const page = (await bob.get('/api/notes?page=abc&size=200')).json() as Page<Note>
    expect([page.page, page.size]).toEqual([1, 100])
  })
})

describe('useHttp', () => {
  it.each(['/', '/api/'] as const)(
    'throws for the apiPrefix %s, which would match no path',
    async (apiPrefix) => {
      await expect(testApp({ apiPrefix })).rejects.toThrow('ends with a slash')
    },
  )
})

describe('a body with thousands of unknown fields', () => {
  it('gets the first hundred errors, with short names', async () => {
    const names = Array.from({ length: 9_000 }, (_, n) => `k${n}`)
    const json = Object.fromEntries(['x'.repeat(10_000), ...names].map((name) => [name, 1]))
    const answer = await bob.post('/api/notes', { json })
    const { errors } = answer.json() as { errors: { field: string }[] }
    expect([answer.status, errors.length, errors[0]?.field]).toEqual([422, 100, `${'x'.repeat(100)}…`])
  })
})
