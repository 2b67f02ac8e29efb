import { describe, expect, it } from 'vitest'
import { repository } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notePolicy, noteScope } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const declared = (options: Pick<Parameters<typeof repository>[1] & object, 'apiCount'>) =>
  repository(Note, { api: '/api/notes', policy: notePolicy, scope: noteScope, ...options })

const database = await testDatabase()
const { statements } = database
const appWith = (options: Parameters<typeof declared>[0]) =>
  testApp({ database, resources: [{ repository: declared(options) }, { repository: users }] })

const exact = await appWith({})
const capped = await appWith({ apiCount: { cap: 3 } })
const uncounted = await appWith({ apiCount: 'none' })
await exact.within(async () => {
  const { id: author_id } = await makeUser()
  for (let n = 0; n < 8; n++) await makeNote({ author_id, published: true })
})

/** Returns a page of the API without its rows, its `Link` header, and whether its rows were counted. */
async function pageOf({ guest }: typeof exact, query: string) {
  statements.length = 0
  const { status, headers, json } = await guest.get(`/api/notes?${query}`)
  const { content, ...rest } = json() as { content: unknown[] }
  const rels = [...(headers.get('link') ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel)
  const counts = statements.filter((text) => text.includes('count(*)')).length
  return { status, rows: content.length, rest, rels, counts }
}

describe('the count of an API', () => {
  it('is exact by default', async () => {
    expect(await pageOf(exact, 'size=2')).toEqual({
      status: 200,
      rows: 2,
      rest: { page: 1, size: 2, total_elements: 8, total_pages: 4, has_next: true, has_previous: false },
      rels: ['first', 'next', 'last'],
      counts: 1,
    })
  })

  it('may stop at a cap', async () => {
    expect(await pageOf(capped, 'size=2')).toEqual({
      status: 200,
      rows: 2,
      rest: {
        page: 1,
        size: 2,
        total_elements: 3,
        total_pages: 2,
        total_is_capped: true,
        has_next: true,
        has_previous: false,
      },
      rels: ['first', 'next'],
      counts: 1,
    })
    expect((await pageOf(capped, 'size=2&page=4')).rest).toMatchObject({ total_elements: 8, has_next: false })
  })

  it('may be omitted, with the totals', async () => {
    expect(await pageOf(uncounted, 'size=2&page=2')).toEqual({
      status: 200,
      rows: 2,
      rest: { page: 2, size: 2, has_next: true, has_previous: true },
      rels: ['first', 'prev', 'next'],
      counts: 0,
    })
    expect(await pageOf(uncounted, 'size=2&page=99')).toMatchObject({ status: 200, rows: 0, counts: 0 })
  })

  it('is checked when the repository is declared', () => {
    for (const apiCount of [{ cap: 0 }, { cap: 1.5 }, {}, 'exakt', '', 1_000, null, []])
      expect(() => declared({ apiCount } as never)).toThrow(
        /^A list is counted 'exact', 'none' or up to a whole/,
      )
  })
})
