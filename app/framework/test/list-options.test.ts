import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  CursorRequest,
  cursorRequest,
  type CursorPage,
  type Page,
  PageRequest,
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
  order: '-created_at',
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
  for (let n = 0; n < 8; n++) await makeNote({ author_id, title: `Title ${n % 3}` })
})

describe('the order of a repository', () => {
  const byTitle = repository(Note, {
    api: '/api/notes',
    policy: notePolicy,
    scope: noteScope,
    order: 'title,-created_at',
  })
  const inOrder = async () => {
    const { rows } = await sql<{ id: number }>`
      select id from notes order by title, created_at desc, id desc`.execute(app.db)
    return rows.map(({ id }) => id)
  }
  const idsOf = ({ content }: { content: readonly { id: number }[] }) => content.map(({ id }) => id)

  it('is that of pages, cursor pages and findAll', async () => {
    const lists = byTitle.asSystem('test')
    const pages = await Promise.all(
      [1, 2, 3].map((number) => app.within(() => lists.page(new PageRequest(number, 3)))),
    )
    const first = await app.within(() => lists.cursorPage(new CursorRequest(null, 3)))
    const rest = await app.within(() => lists.cursorPage(new CursorRequest(first.next_cursor, 100)))
    const found = await app.within(() => lists.findAll())
    const expected = await inOrder()
    expect(pages.flatMap(idsOf)).toEqual(expected)
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(expected)
    expect(idsOf({ content: found })).toEqual(expected)
  })

  it('is that of the API, unless the request sorts', async () => {
    const other = await testApp({ resources: [{ repository: byTitle }], database: app })
    const get = async (query: string) =>
      idsOf((await other.guest.get(`/api/notes?${query}`)).json() as { content: Note[] })
    const expected = await inOrder()
    expect([await get(''), await get('cursor=')]).toEqual([expected, expected])
    const newest = (await app.within(() => all.findAll())).map(({ id }) => id)
    expect(await get('sort=-created_at')).toEqual(newest)
    expect(newest).not.toEqual(expected)
  })
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
