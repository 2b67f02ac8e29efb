import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import type { Page } from 'pergola'
import { makeNote, type Note } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser } from './fixtures/user.ts'

const app = await testApp()
const [author, admin] = await app.within(() =>
  Promise.all([makeUser({ name: 'Ada Author' }), makeUser({ name: 'Ned Admin', roles: ['admin'] })]),
)
const [ada, ned] = await Promise.all([app.signInAs(author.email), app.signInAs(admin.email)])
const draft = await app.within(() =>
  makeNote({ author_id: author.id, title: 'Zebra grass', body: 'Secretly planned.', published: false }),
)
await app.within(async () => {
  for (const title of ['Quince', 'Apple', 'Medlar', 'Grape', 'Fig', 'Grapevine, pruned'])
    await makeNote({ author_id: author.id, title })
})

const titles = (page: Page<Note>) => page.content.map(({ title }) => title)
const listed = async (query: string, reader = app.guest) =>
  (await reader.get(`/api/notes?${query}`)).json() as Page<Note>

describe('a list that is searched, filtered or sorted', () => {
  it('reveals nothing about a row that the caller may not see', async () => {
    for (const query of ['q=zebra', 'q=secretly+planned', 'published=false', 'q=zebra&published=false']) {
      expect(await listed(query)).toMatchObject({ content: [], total_elements: 0, total_pages: 1 })
      expect((await listed(query, ada)).content).toMatchObject([{ id: draft.id }])
      expect((await listed(query, ned)).total_elements).toBe(1)
      expect((await app.guest.get(`/notes?${query}`)).text).not.toContain('Zebra grass')
    }
    expect(titles(await listed('sort=title&dir=desc'))).not.toContain('Zebra grass')
    expect((await listed(`author_id=${author.id}`)).total_elements).toBe(6)
    expect((await listed(`author_id=${author.id}`, ada)).total_elements).toBe(7)
  })

  it('can’t be sorted, filtered or searched by hidden columns', async () => {
    const names = async (query: string) => {
      const { text } = await ned.get(`/users?${query}`)
      return [...text.matchAll(/<a href="\/users\/(\d+)\/edit"/g)].map(([, id]) => id)
    }
    const plain = await names('')
    expect(plain.length).toBeGreaterThan(1)
    for (const hidden of ['sort=email', 'sort=password_digest&dir=desc', `email=${author.email}`])
      expect(await names(hidden)).toEqual(plain)
    expect(await names(`q=${author.email}`)).toEqual([])
  })

  it('never fails, for any URL', async () => {
    const value = fc.oneof(
      fc.constantFrom(
        'title',
        'created_at',
        'asc',
        'desc',
        'true',
        '%00',
        '%ED%A0%80',
        '%zz',
        '%',
        '_',
        '%25',
        '%5C',
        "'",
        '1e309',
      ),
      fc.constantFrom(
        '9223372036854775808',
        '-1',
        '9'.repeat(40),
        '+'.repeat(2_000),
        'a+'.repeat(1_500),
        'NaN',
      ),
      fc.string({ maxLength: 5 }).map(encodeURIComponent),
    )
    const name = fc.constantFrom(
      'sort',
      'dir',
      'q',
      'published',
      'author_id',
      'page',
      'size',
      'q[]',
      'sort[a]',
      '__proto__',
    )
    const query = fc.array(
      fc.tuple(name, value).map((pair) => pair.join('=')),
      { maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('/notes', '/api/notes'), async (params, path) => {
        const { status } = await app.guest.get(`${path}?${params.join('&')}`)
        // The API refuses parameters that pages ignore.
        expect(path === '/notes' ? [200] : [200, 400]).toContain(status)
      }),
      { numRuns: 150 },
    )
  }, 60_000)
})

describe('GET /api/notes', () => {
  /** Returns the URLs of the Link header by their relation. */
  const links = (headers: Headers) =>
    Object.fromEntries<string>(
      [...(headers.get('link') ?? '').matchAll(/<([^<>]*)>; rel="(\w+)"/g)].map(([, href = '', rel = '']) => [
        rel,
        href,
      ]),
    )

  it('can be paged by its Link header, forwards and backwards', async () => {
    const forth: string[] = []
    let at: string | undefined = '/api/notes?sort=title&size=2&q=+'
    let last = ''
    while (at !== undefined) {
      const { headers, json } = await app.guest.get(at)
      forth.push(...titles(json() as Page<Note>))
      last = at
      at = links(headers)['next']
    }
    expect(forth).toEqual(['Apple', 'Fig', 'Grape', 'Grapevine, pruned', 'Medlar', 'Quince'])
    expect(last).toBe('/api/notes?sort=title&size=2&q=+&page=3')
    const { headers } = await app.guest.get(last)
    expect(links(headers)).toEqual({
      first: '/api/notes?sort=title&size=2&q=+&page=1',
      prev: '/api/notes?sort=title&size=2&q=+&page=2',
      last,
    })
    const past = await app.guest.get('/api/notes?size=2&page=9')
    expect(links(past.headers)['prev']).toBe('/api/notes?size=2&page=3')
  })
})

describe('the page of a list', () => {
  it.each(['/notes', '/users'])('of %s counts up to a cap, unlike the API', async (path) => {
    const counts = async (address: string) => {
      app.statements.length = 0
      expect((await ned.get(`${address}?size=1`)).status).toBe(200)
      return app.statements
        .filter((text) => text.includes('count(*)'))
        .map((text) => /count\(\*\) as "total" from \(.* limit .*\) as "rows"/.test(text))
    }
    expect([await counts(path), await counts('/api/notes')]).toEqual([[true], [false]])
  })

  const heading = (text: string, label: string) =>
    new RegExp(`<th [^>]*>\\s*<a [^>]*>${label}<`).exec(text)?.[0] ?? ''

  it('has headings with links that sort, and with aria-sort', async () => {
    const plain = (await app.guest.get('/notes?size=1&page=2&q=gra')).text
    expect(heading(plain, 'Title')).toContain('href="/notes?size=1&amp;q=gra&amp;sort=title&amp;dir=asc"')
    expect(heading(plain, 'Title')).not.toContain('aria-sort')
    expect(heading(plain, 'Date')).toContain('aria-sort="descending"')
    const sorted = (await app.guest.get('/notes?sort=title&dir=asc&size=5')).text
    expect(heading(sorted, 'Title')).toContain('aria-sort="ascending"')
    expect(heading(sorted, 'Title')).toContain('href="/notes?sort=title&amp;dir=desc&amp;size=5"')
    expect(sorted.match(/aria-sort/g)).toHaveLength(1)
    const back = (await app.guest.get('/notes?sort=created_at&dir=desc')).text
    expect(heading(back, 'Date')).toContain('aria-sort="descending"')
  })

  it('has a search form with hidden fields for the other parameters, except the page', async () => {
    const { text } = await app.guest.get('/notes?sort=title&size=5&q=%22%3Egra&page=1&cursor=x')
    const form = /<form class="search".*?<\/form>/s.exec(text)?.[0] ?? ''
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
    expect(fields).toEqual([
      ['sort', 'title'],
      ['size', '5'],
      ['q', '&quot;&gt;gra'],
    ])
  })

  it('offers the filter by state to signed-in users only', async () => {
    const choice = /<select name="published".*?<\/select>/s
    expect((await app.guest.get('/notes')).text).not.toMatch(choice)
    const { text } = await ada.get('/notes?published=false')
    expect(choice.exec(text)?.[0]).toContain('<option value="false" selected>Drafts</option>')
    expect(text).toContain('Zebra grass')
  })
})
