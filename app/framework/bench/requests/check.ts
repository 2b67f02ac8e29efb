import { expect } from 'vitest'
import type { Contestant } from './contestants.ts'
import type { Expected } from './expected.ts'

/** A signed-in caller of a contestant. */
export interface Session {
  expected: Expected
  cookie: string
  /** The cursor of the page `expected.deep`. */
  deepCursor: string
}

interface List {
  content: { id: number }[]
  total_elements?: number
  next_cursor?: string
}

/** Signs a caller in, and throws unless the contestant answers as the rows in Postgres say. */
export async function openSession({ name, url }: Contestant, expected: Expected): Promise<Session> {
  const login = await fetch(`${url}/bench/login?uid=${expected.caller}`)
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const send = (path: string, init?: RequestInit) =>
    fetch(url + path, { ...init, headers: { ...HEADERS, cookie } })
  const list = async (query: string) => (await (await send(`/api/posts?${query}`)).json()) as List
  const status = async (...request: Parameters<typeof send>) => (await send(...request)).status
  const update = (id: number) => status(`/api/posts/${id}`, { method: 'PUT', body: bodyOf('Checked') })
  const page = await list('page=1&size=20')
  const deepCursor = await cursorAt(expected.depth, list)
  const html = await (await send('/posts?page=5')).text()
  const { own, published, fifth } = expected
  const answers = {
    'the first page': idsOf(page),
    'the total': page.total_elements,
    'the first cursor page': idsOf(await list('cursor=&size=20')),
    'the deep cursor page': idsOf(await list(`cursor=${deepCursor}&size=20`)),
    'the rows of the HTML page': idsIn(html, /<a href="\/posts\/(\d+)"/g),
    'the links to edit': idsIn(html, /href="\/posts\/(\d+)\/edit"/g),
    'a published post': await status(`/api/posts/${published[0]}`),
    'a draft of another user': await status(`/api/posts/${expected.hidden}`),
    'updating an own post': await update(own[0] ?? 0),
    'updating a post of another user': await update(expected.foreign),
  }
  expect({ name, caller: expected.caller, ...answers }).toEqual({
    name,
    caller: expected.caller,
    'the first page': expected.first,
    'the total': expected.total,
    'the first cursor page': expected.first,
    'the deep cursor page': expected.deep,
    'the rows of the HTML page': fifth,
    'the links to edit': fifth.filter((id) => own.includes(id)),
    'a published post': 200,
    'a draft of another user': 404,
    'updating an own post': 200,
    'updating a post of another user': 404,
  })
  return { expected, cookie, deepCursor }
}

/** Returns the cursor of the page after this many posts, which is a multiple of 100. */
async function cursorAt(depth: number, list: (query: string) => Promise<List>): Promise<string> {
  let cursor = ''
  for (let seen = 0; seen < depth; seen += 100) {
    const { next_cursor } = await list(`cursor=${cursor}&size=100`)
    cursor = encodeURIComponent(next_cursor ?? '')
  }
  return cursor
}

const HEADERS = { 'content-type': 'application/json', 'if-match': '*' }

/** Returns the body of an update. */
export const bodyOf = (title: string) => JSON.stringify({ title, body: 'Sentence of this post. '.repeat(12) })

const idsOf = ({ content }: List) => content.map(({ id }) => id)
const idsIn = (html: string, link: RegExp) => [...html.matchAll(link)].map(([, id]) => Number(id))
