import { describe, expect, it } from 'vitest'
import {
  cursorRequest,
  type CursorPage,
  type Page,
  pageRequest,
  publicRoute,
  repository,
  routes,
} from 'pergola'
import { pageSizeForm } from '../src/pagination/pager-forms.ts'
import { makeNote, Note, notePolicy, noteScope } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const notes = repository(Note, {
  api: '/api/notes',
  policy: notePolicy,
  scope: noteScope,
  cursorKey: 'created_at',
  cursorKeyType: 'timestamptz',
  pageSize: { default: 3, max: 5 },
})
const all = notes.asSystem('test')

const sizesOf = (page: { readonly size: number }) =>
  pageSizeForm(page, { basePath: '/notes' }).sizes.map(({ value }) => value)

const noteRoutes = routes('/notes', {
  'GET /': [
    publicRoute(),
    async (req, res) => {
      const page = await all.page(pageRequest(req, notes))
      const cursorPage = await all.cursorPage(cursorRequest(req, notes))
      res.json([page, cursorPage].map((read) => [read.size, read.content.length, sizesOf(read)]))
    },
  ],
})

const resources = [{ repository: notes, routes: { noteRoutes } }, { repository: users }]
const app = await testApp({ resources })
await app.within(async () => {
  const { id: author_id } = await makeUser()
  for (let n = 0; n < 8; n++) await makeNote({ author_id })
})

describe('the page sizes of a repository', () => {
  it.each([
    ['', 3],
    ['size=4', 4],
    ['size=100', 5],
    ['size=0', 3],
    ['size=many', 3],
  ])('limit %j in the API and on pages to %d', async (query, size) => {
    const page = (await app.guest.get(`/api/notes?${query}`)).json() as Page<unknown>
    const byCursor = (await app.guest.get(`/api/notes?cursor=&${query}`)).json() as CursorPage<unknown>
    expect([page.size, page.content.length, byCursor.size, byCursor.content.length]).toEqual(
      Array.from({ length: 4 }, () => size),
    )
    const sizes = size === 4 ? [3, 4, 5] : [3, 5]
    expect((await app.guest.get(`/notes?${query}`)).json()).toEqual([
      [size, size, sizes],
      [size, size, sizes],
    ])
  })

  it('are not part of the JSON', async () => {
    const page = (await app.guest.get('/api/notes')).json() as object
    expect(Object.keys(page)).not.toContain('sizes')
  })

  it('are checked when the repository is declared', () => {
    const declare = () => repository(Note, { pageSize: { default: 50, max: 20 } })
    expect(declare).toThrow('max 20 and default 50')
  })
})
