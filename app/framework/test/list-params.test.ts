import { beforeAll, describe, expect, it } from 'vitest'
import { makeNote } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser } from './fixtures/user.ts'

const app = await testApp({ resources })
beforeAll(() =>
  app.within(async () => {
    const { id: author_id } = await makeUser()
    await makeNote({ author_id, title: 'Plum' })
    await makeNote({ author_id, title: 'Pear' })
  }),
)

interface Problem {
  code: string
  errors: { field: string; messages: string[] }[]
}

describe('a parameter of an API list', () => {
  it.each([
    ['publishd=true', 'publishd', 'page, size, cursor, sort, dir, q, published, author_id, title'],
    ['Published=true', 'Published', 'Valid parameters'],
    ['published[]=true', 'published[]', 'Valid parameters'],
    ['published=maybe', 'published', '"true"'],
    ['published=true&published=maybe', 'published', '"true"'],
    ['published=', 'published', ''],
    ['author_id=x', 'author_id', 'This record does not exist.'],
    ['title=Plum&title=', 'title', ''],
    ['title=%00', 'title', 'characters'],
    ['q=%00', 'q', 'characters'],
    ['sort=titel', 'sort', 'title, created_at'],
    ['sort=body', 'sort', 'title, created_at'],
    ['sort=title,,created_at', 'sort', 'title, created_at'],
    ['sort=', 'sort', 'title, created_at'],
    ['sort=title&dir=up', 'dir', 'Use asc or desc.'],
    ['cursor=&publishd=true', 'publishd', 'Valid parameters'],
  ])('is refused with the valid names if the list would ignore it: ?%s', async (query, field, text) => {
    const answer = await app.guest.get(`/api/notes?${query}`)
    const { code, errors } = answer.json() as Problem
    expect([answer.status, code, errors.map((error) => error.field)]).toEqual([400, 'invalid_query', [field]])
    expect(errors[0]?.messages[0]).toContain(text)
  })

  it('is refused with each other error of the query', async () => {
    const { errors } = (await app.guest.get('/api/notes?publishd=true&sort=titel&size=x')).json() as Problem
    expect(errors.map(({ field }) => field)).toEqual(['publishd', 'sort'])
  })

  it.each(['', 'q=', 'q=plum', 'page=x&size=0', 'sort=-created_at,title', 'dir=desc', 'p%75blished=true'])(
    'is accepted: ?%s',
    async (query) => {
      expect((await app.guest.get(`/api/notes?${query}`)).status).toBe(200)
    },
  )

  it('is ignored on pages', async () => {
    for (const query of ['publishd=true', 'published=maybe', 'sort=titel'])
      expect((await app.guest.get(`/notes?${query}`)).status).toBe(200)
  })
})
